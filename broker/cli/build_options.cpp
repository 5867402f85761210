#include "broker/cli/build_options.hpp"

#include "broker/base/program/version.hpp"
#include "broker/cli/client/http_client.hpp"

namespace sluice::cli {

std::string version_text() {
    return "sluice " + std::string(base::version()) +
           "\ngpu       " SLUICE_BUILT_FOR_GPU "\ncompiler  " SLUICE_BUILT_BY "\nhttp      " + http_library();
}

}  // namespace sluice::cli
