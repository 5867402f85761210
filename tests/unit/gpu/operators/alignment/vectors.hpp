// Scores from other sources: textbooks, EMBOSS, Biopython and parasail, which agree on them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

struct KnownScores {
    std::string query, text, scheme;
    int local, global;
    // The ends of all best local alignments; empty: not listed.
    std::vector<EndPoint> ends = {};
};

// Whether a best local alignment ends there, as far as the ends are listed.
inline bool is_known_end(const KnownScores& known, const EndPoint& end) {
    return end.score == known.local &&
           (known.ends.empty() || std::find(known.ends.begin(), known.ends.end(), end) != known.ends.end());
}

inline const std::string hba_human =
    "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHL"
    "PAEFT"
    "PAVHASLDKFLASVSTVLTSKYR";
inline const std::string hbb_human =
    "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCV"
    "LAHHF"
    "GKEFTPPVQAAYQKVVAGVANALAHKYH";

inline const std::vector<KnownScores>& known_scores() {
    static const std::vector<KnownScores> known = {
        // Small cases of the default scheme: single gaps of one and of two letters, ties, nothing in common.
        {"ACGTACGTACGTACGTACGT", "ACGTACGTAACGTACGTACGT", "dna", 15, 15, {{15, 20, 21}}},
        {"ACGTTGCAACGGTCATTGCA", "ACGTTGCAACTCATTGCA", "dna", 11, 11, {{11, 20, 18}}},
        {"GGATCCTTAGGCATTCGAAC", "GGATCCTTGGCATTCGAAC", "dna", 14, 14, {{14, 20, 19}}},
        {"AAAAAAAAAA", "CCCCCCCCCC", "dna", 0, -30, {{0, 0, 0}}},
        {"ACGT", "ACGT", "dna", 4, 4, {{4, 4, 4}}},
        {"CCCCACGTACGTCCCC", "GGGGACGTACGTGGGG", "dna", 8, -16, {{8, 12, 12}}},
        {"TAGCTACT", "TAGCTATA", "dna", 6, 0, {{6, 6, 6}}},
        {"TACGCACA", "TAGCTATA", "dna", 2, -7, {{2, 2, 2}, {2, 2, 6}, {2, 2, 8}, {2, 5, 4}}},
        {"GATTACAGATTACAGATTACA", "GATTACAGATTACATTTTTTTTTTTTGATTACA", "dna", 14, -6, {{14, 14, 14}, {14, 21, 14}}},
        // The matrices of the MASA-OpenCL thesis (figures 2.1 to 2.3), linear gaps.
        {"TACGCACA", "TAGCTATA", "dna:1,-1,2,2", 2, 1, {{2, 2, 2}, {2, 2, 6}, {2, 2, 8}, {2, 5, 4}}},
        {"TAGCTACT", "TAGCTATA", "dna:2,-1,5,5", 12, 10, {{12, 6, 6}}},
        {"TAGCTACT", "TAGCTATA", "dna:1,-1,5,5", 6, 4, {{6, 6, 6}}},
        // Textbooks.
        {"TGTTACGG", "GGTTGACTA", "dna:3,-3,2,2", 13, 4},
        {"GCATGCG", "GATTACA", "dna:1,-1,1,1", 2, 0},
        {"ACACACTA", "AGCACACA", "dna:2,-1,1,1", 12, 12},
        {"HEAGAWGHEE", "PAWHEAE", "blosum50:8,8", 28, 1},
        {"HEAGAWGHEE", "PAWHEAE", "blosum62:8,8", 20, -8},
        {"HEAGAWGHEE", "PAWHEAE", "blosum62:11,1", 17, 2},
        // Human haemoglobin, alpha and beta.
        {hba_human, hbb_human, "blosum62:11,1", 288, 286},
        {hba_human, hbb_human, "blosum62:10,2", 286, 285},
        {hba_human, hbb_human, "blosum62:5,5", 291, 291},
        {hba_human, hbb_human, "blosum62:12,1", 285, 282},
        {"", "ACGT", "dna", 0, -11},
        {"", "", "dna", 0, 0},
    };
    return known;
}

}  // namespace sluice::alignment
