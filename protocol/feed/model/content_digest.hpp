// The digest of what an item says, by which an item that is published again is unchanged or an update. It is taken of a
// normal form (xml_normal_form.hpp, data_normal_form.hpp), not of the item's bytes: two ways to write the same thing
// have the same digest. Stores keep digests for months, so a change of the normal forms needs another version.
#pragma once

#include <string_view>

#include "protocol/feed/model/ignored_parts.hpp"
#include "protocol/text/digest.hpp"

namespace sluice::feed {

// Which digests to take of a document's items.
struct DigestOptions {
    IgnoredParts ignored;
    bool of_data = false;  // of JSON that is no feed, CSV, FASTA and FASTQ, too
};

inline constexpr std::string_view content_digest_version = "\1";

inline text::Digest content_digest(std::string_view normal_form) {
    return text::digest(content_digest_version, normal_form);
}

}  // namespace sluice::feed
