// Lets a fuzzer choose the content type of what is not XML.
#pragma once

#include <iterator>
#include <string>

#include "protocol/feed/model/document.hpp"

namespace sluice {

// If the last byte is a letter from 'a' to 'r', takes it away and returns the type that it stands for, the odd ones
// with small limits. Otherwise returns no type.
inline feed::DocumentOptions take_document_type(std::string& bytes) {
    static constexpr const char* types[] = {"text/plain",
                                            "application/json",
                                            "application/x-ndjson",
                                            "application/cloudevents+json",
                                            "application/cloudevents-batch+json",
                                            "text/csv",
                                            "text/csv; header=absent; charset=windows-1252",
                                            "text/x-fasta",
                                            "text/x-fastq"};
    feed::DocumentOptions options;
    if (bytes.empty() || bytes.back() < 'a') return options;
    const auto choice = static_cast<std::size_t>(bytes.back() - 'a');
    if (choice >= 2 * std::size(types)) return options;
    options.content_type = types[choice / 2];
    if (choice % 2 != 0) options.limits = {1000, 4, 3, 6, 20};
    bytes.pop_back();
    return options;
}

}  // namespace sluice
