#include "broker/server/api/document_faults.hpp"

#include <boost/json/array.hpp>

namespace sluice::server {

namespace json = boost::json;

namespace {

json::array refusals_json(const feed::Refusals& refusals) {
    json::array list;
    for (const auto& [index, error] : refusals.first) {
        list.push_back(json::object{{"index", index},
                                    {"line", error.line},
                                    {"column", error.column},
                                    {"offset", error.offset},
                                    {"reason", error.message}});
    }
    return list;
}

json::array repairs_json(const feed::Repairs& repairs) {
    json::array list;
    for (const feed::Repair& repair : repairs.list()) {
        list.push_back(json::object{{"kind", feed::repair_name(repair.kind)},
                                    {"reason", repair.reason},
                                    {"count", repair.count},
                                    {"line", repair.line},
                                    {"column", repair.column},
                                    {"offset", repair.offset}});
    }
    return list;
}

}  // namespace

void add_document_faults(json::object& reply, const feed::Document& document) {
    if (const feed::Refusals& refusals = document.refusals(); refusals.count != 0) {
        reply["refused"] = refusals.count;
        reply["refusals"] = refusals_json(refusals);
    }
    if (const feed::Repairs& repairs = document.repairs(); !repairs.empty()) {
        reply["repaired"] = repairs.total();
        reply["repairs"] = repairs_json(repairs);
    }
}

}  // namespace sluice::server
