// Makes an HttpSession on TCP of each connection that the listener admits, and HTTP replies for those that it rejects.
// Created once; must outlive the listener and the sessions.
#pragma once

#include <string>

#include "broker/server/http/authentication.hpp"
#include "broker/server/http/browser_rules.hpp"
#include "broker/server/http/router.hpp"
#include "broker/server/net/connection_services.hpp"
#include "broker/server/net/session_factory.hpp"

namespace sluice::server {

class HttpSessions final : public SessionFactory {
public:
    HttpSessions(ConnectionServices& services, const BrowserRules& browser_rules, Authentication& authentication,
                 Router router);

    void start_session(std::unique_ptr<Transport> transport, Admission admission) override;
    std::string rejection_text(Rejection reason) const override;

private:
    ConnectionServices& services_;
    const BrowserRules& browser_rules_;
    Authentication& authentication_;
    const Router router_;
};

}  // namespace sluice::server
