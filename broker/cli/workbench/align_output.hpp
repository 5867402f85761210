// The result of aligning one pair, as text, as a line of tab-separated values, as JSON and as PAF. Pure functions; any
// thread.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "gpu/tools/align/pair.hpp"

namespace sluice::cli {

// An aligned pair. If the query's reverse complement was aligned, `result` has its positions; what is printed has those
// of the query as it is in the file, as PAF and BLAST have them. CIGARs are SAM's, in the direction of the text: I are
// letters of the query that the text lacks, D those of the text that the query lacks.
struct AlignedPair {
    const FastaRecord &query, &text;
    const alignment::Scheme& scheme;
    bool is_reverse = false;
    const alignment::PairResult& result;
};

// Several lines.
std::string align_text(const AlignOptions& options, const AlignedPair& pair);

// Positions are from 1 on, both ends included. Without --alignment there is only the letter of each sequence at which
// the alignment ends, in the direction of the text; what is unknown is empty or, as JSON, left out. The columns of TSV
// have the names of JSON's members.
std::string align_tsv_header();
std::string align_tsv(const AlignOptions& options, const AlignedPair& pair);
boost::json::object align_json(const AlignOptions& options, const AlignedPair& pair);

// A line with minimap2's tags AS (score), NM (mismatches and gap letters) and cg (CIGAR with = and X); "" without an
// alignment. The mapping quality is 255, as none is computed.
std::string align_paf(const AlignOptions& options, const AlignedPair& pair);

}  // namespace sluice::cli
