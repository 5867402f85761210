// The result of aligning one pair, as text, as a line of tab-separated values, and as JSON. Pure functions; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "broker/cli/common/fasta.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "gpu/tools/align/pair.hpp"

namespace sluice::cli {

// Several lines.
std::string align_text(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                       const alignment::PairResult& result);

// Positions are from 1 on, both ends included. Without --alignment there are only the ends; what is unknown is empty
// or, as JSON, left out. The columns of TSV have the names of JSON's members.
std::string align_tsv_header();
std::string align_tsv(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                      const alignment::PairResult& result);
boost::json::object align_json(const AlignOptions& options, const FastaRecord& query, const FastaRecord& text,
                               const alignment::PairResult& result);

}  // namespace sluice::cli
