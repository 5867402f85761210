#include "broker/cli/client/http_client.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <curl/curl.h>
#include <exception>
#include <memory>
#include <sys/socket.h>

#include "broker/base/program/version.hpp"
#include "broker/cli/client/broker_options.hpp"
#include "broker/cli/client/credentials.hpp"
#include "broker/cli/client/http_failure.hpp"
#include "broker/cli/client/http_headers.hpp"
#include "broker/cli/client/tls.hpp"
#include "broker/cli/common/console.hpp"

namespace sluice::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;
using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

constexpr std::size_t reply_bytes_max = 16u << 20;  // of replies that are kept whole
constexpr std::size_t head_bytes_max = 1u << 20;    // of all heads and trailers, which libcurl keeps
// The longest wait for the socket at a time; and if somebody may stop the request.
constexpr std::chrono::milliseconds turn_max{1'000}, turn_max_with_stops{100};

// A missing library part or memory: nothing that a user could mend.
void check(CURLcode code) {
    if (code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
}

bool is_loss(CURLcode code) {
    return code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE || code == CURLE_SEND_ERROR ||
           code == CURLE_RECV_ERROR;
}

void start_library() {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    check(started);
}

template <class Handle>
Handle owned(Handle handle) {
    if (!handle) throw std::bad_alloc();
    return handle;
}

// One request, from connecting to the end of its reply.
class Transfer {
public:
    Transfer(const HttpServer& server, const HttpRequest& request, const HttpWatch& watch)
        : server_(server), request_(request), watch_(watch), silence_max_(server.silence_max) {
        start_library();
        easy_ = owned(Easy(curl_easy_init(), curl_easy_cleanup));
        multi_ = owned(Multi(curl_multi_init(), curl_multi_cleanup));
        set_connection();
        set_request();
        set_callbacks();
    }
    ~Transfer() { curl_multi_remove_handle(multi_.get(), easy_.get()); }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    boost::system::result<HttpReply, HttpError> run();

private:
    template <class Value>
    void set(CURLoption option, Value value) {
        check(curl_easy_setopt(easy_.get(), option, value));
    }
    void set_connection();
    void set_tls();
    void set_credentials();
    std::string url() const;
    void set_request();
    void set_callbacks();
    void add_header(const std::string& line);

    // Libcurl's callbacks: they return how much they took, and must not throw.
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer);
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer);
    static std::size_t on_read(char* room, std::size_t size, std::size_t count, void* transfer);
    static curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address);
    static CURLcode on_tls(CURL*, void* context, void* transfer);
    static int on_progress(void* transfer, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent);
    template <class Take>
    std::size_t guarded(std::size_t bytes, const Take& take);

    // The server is alive. Called after what came has been taken, which may last: output may be slow.
    std::size_t heard(std::size_t taken) {
        last_sign_ = Clock::now();
        return taken;
    }

    bool take_header(std::string_view line);
    bool take_body(std::string_view bytes);
    bool waits_for_body() const { return lacks_body_ && request_.source.descriptor() >= 0; }
    bool go_on_sending();
    void wait(int milliseconds);
    bool is_connected() const;
    CURLcode result_of(int running) const;
    HttpError error_of(CURLcode code) const;

    const HttpServer& server_;
    const HttpRequest& request_;
    const HttpWatch& watch_;
    std::chrono::milliseconds silence_max_;
    std::array<char, CURL_ERROR_SIZE> message_{};
    TlsNotes tls_notes_;
    Headers headers_{nullptr, curl_slist_free_all};
    Multi multi_{nullptr, curl_multi_cleanup};
    Easy easy_{nullptr, curl_easy_cleanup};  // uses the others until it is gone
    HttpReply reply_;
    std::size_t head_bytes_ = 0;
    Clock::time_point last_sign_ = Clock::now();
    curl_off_t received_ = 0, sent_ = 0;
    std::exception_ptr thrown_;
    bool lacks_body_ = false;   // the source of the request's body had nothing
    bool is_refused_ = false;   // by a reply that came before the body was sent: the rest is not wanted
    bool is_stopped_ = false;   // by watch.piece or watch.stops
    bool is_too_long_ = false;  // the reply
};

void Transfer::set_connection() {
    set(CURLOPT_URL, url().c_str());
    if (!server_.socket_path.empty()) set(CURLOPT_UNIX_SOCKET_PATH, server_.socket_path.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, message_.data());
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(server_.connect_timeout.count()));
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_PATH_AS_IS, 1L);
    if (server_.is_local) set(CURLOPT_NOPROXY, "*");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    if (server_.is_tls) set_tls();
}

// libcurl looks for a certain user in a netrc file only if the URL names it.
std::string Transfer::url() const {
    std::string url = server_.socket_path.empty() ? server_.url : "http://localhost";
    const Credentials& credentials = server_.credentials;
    if (!credentials.netrc.empty() && !credentials.user.empty()) {
        const std::unique_ptr<char, decltype(&curl_free)> user(
            curl_easy_escape(easy_.get(), credentials.user.data(), static_cast<int>(credentials.user.size())),
            curl_free);
        if (!user) throw std::bad_alloc();
        url.insert(url.find("://") + 3, std::string(user.get()) + "@");
    }
    return url + request_.target;
}

void Transfer::set_credentials() {
    const Credentials& credentials = server_.credentials;
    set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // proxies that tunnel do not get the fields
    if (!credentials.token.empty()) add_header("Authorization: Bearer " + credentials.token);
    if (!credentials.netrc.empty()) {
        set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));  // with REQUIRED, the URL's user would not count
        set(CURLOPT_NETRC_FILE, credentials.netrc.c_str());
    } else if (!credentials.user.empty()) {
        set(CURLOPT_USERNAME, credentials.user.c_str());
        set(CURLOPT_PASSWORD, credentials.password.c_str());
    }
    for (const std::string& header : credentials.headers) add_header(header);
}

void Transfer::set_tls() {
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));  // at least
    const auto& [trusted, certificate, key] = server_.tls;
    if (!trusted.empty()) {
        set(CURLOPT_CAINFO, trusted.c_str());
        set(CURLOPT_CAPATH, nullptr);  // or the system's would be trusted, too
    }
    if (!certificate.empty()) {
        set(CURLOPT_SSLCERT, certificate.c_str());
        set(CURLOPT_SSLKEY, key.empty() ? certificate.c_str() : key.c_str());
        set(CURLOPT_KEYPASSWD, "");  // or OpenSSL would ask the terminal
    }
    set(CURLOPT_SSL_CTX_FUNCTION, &Transfer::on_tls);
    set(CURLOPT_SSL_CTX_DATA, this);
}

void Transfer::add_header(const std::string& line) {
    curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(headers_.release());
    headers_.reset(longer);
}

void Transfer::set_request() {
    set(CURLOPT_USERAGENT, ("sluice/" + std::string(base::version())).c_str());
    const bool has_body = !request_.body.empty() || !request_.content_type.empty() || request_.method == "POST";
    if (request_.source.read) {
        if (request_.source.begin) request_.source.begin();
        set(CURLOPT_POST, 1L);
        set(CURLOPT_READFUNCTION, &Transfer::on_read);
        set(CURLOPT_READDATA, this);
        set(CURLOPT_TCP_KEEPALIVE, 1L);  // it may have nothing to send for long
        add_header("Transfer-Encoding: chunked");
    } else if (has_body) {
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
        set(CURLOPT_POSTFIELDS, request_.body.data());
    }
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    add_header("Expect:");  // the broker does not ask for the body, and libcurl would wait a second for it
    add_header("Content-Type:" + (request_.content_type.empty() ? "" : " " + request_.content_type));
    for (const std::string& header : request_.headers) add_header(header);
    set_credentials();
    set(CURLOPT_HTTPHEADER, headers_.get());
}

void Transfer::set_callbacks() {
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
}

template <class Take>
std::size_t Transfer::guarded(std::size_t bytes, const Take& take) {
    bool goes_on = false;
    try {
        goes_on = take();
    } catch (...) {
        thrown_ = std::current_exception();
    }
    return goes_on ? bytes : bytes + 1;  // another number than was given ends the transfer
}

std::size_t Transfer::on_header(char* bytes, std::size_t size, std::size_t count, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    return self.heard(self.guarded(size * count, [&] { return self.take_header({bytes, size * count}); }));
}

std::size_t Transfer::on_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    return self.heard(self.guarded(size * count, [&] { return self.take_body({bytes, size * count}); }));
}

std::size_t Transfer::on_read(char* room, std::size_t size, std::size_t count, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    if (self.is_refused_) return 0;
    std::optional<std::size_t> bytes;
    const Clock::time_point begun = Clock::now();
    const auto failed = self.guarded(0, [&] {
        bytes = self.request_.source.read(room, size * count);
        return true;
    });
    self.last_sign_ += Clock::now() - begun;  // that was not the server's silence
    if (failed != 0) return CURL_READFUNC_ABORT;
    self.lacks_body_ = !bytes;
    return bytes ? self.heard(*bytes) : CURL_READFUNC_PAUSE;
}

// Other programs that are run meanwhile must not keep the connection open.
curl_socket_t Transfer::open_socket(void*, curlsocktype, curl_sockaddr* address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode Transfer::on_tls(CURL*, void* context, void* transfer) {
    take_notes(context, static_cast<Transfer*>(transfer)->tls_notes_);
    return CURLE_OK;
}

// Called at least once a turn.
int Transfer::on_progress(void* transfer, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
    auto& self = *static_cast<Transfer*>(transfer);
    if (received != self.received_ || sent != self.sent_) self.last_sign_ = Clock::now();
    self.received_ = received;
    self.sent_ = sent;
    const auto refused = self.guarded(0, [&] {
        if (self.watch_.sent) self.watch_.sent(static_cast<std::size_t>(sent));
        return true;
    });
    return static_cast<int>(refused);
}

bool Transfer::take_header(std::string_view line) {
    head_bytes_ += line.size();
    is_too_long_ = head_bytes_ > head_bytes_max;
    if (is_too_long_) return false;
    const bool is_end = read_header(line, reply_);
    if (is_end && reply_.status == 200 && watch_.head) silence_max_ = watch_.head(reply_);
    is_refused_ = is_refused_ || (is_end && reply_.status >= 300);
    return true;
}

bool Transfer::take_body(std::string_view bytes) {
    if (reply_.status == 200 && watch_.piece) {
        is_stopped_ = !watch_.piece(bytes);
        return !is_stopped_;
    }
    is_too_long_ = reply_.body.size() + bytes.size() > reply_bytes_max;
    if (!is_too_long_) reply_.body += bytes;
    return !is_too_long_;
}

CURLcode Transfer::result_of(int running) const {
    if (running != 0) return CURLE_OPERATION_TIMEDOUT;
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
    return message == nullptr ? CURLE_FAILED_INIT : message->data.result;
}

bool Transfer::is_connected() const {
    curl_off_t microseconds = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &microseconds);
    return microseconds != 0;
}

// If there is more of the body, or the broker wants no more of it. Returns false if not.
bool Transfer::go_on_sending() {
    if (!lacks_body_ || (!is_refused_ && !request_.source.is_ready())) return false;
    lacks_body_ = false;
    curl_easy_pause(easy_.get(), CURLPAUSE_CONT);
    return true;
}

void Transfer::wait(int milliseconds) {
    const bool has_source = waits_for_body();
    curl_waitfd source{has_source ? request_.source.descriptor() : -1, CURL_WAIT_POLLIN, 0};
    curl_multi_poll(multi_.get(), &source, has_source ? 1 : 0, milliseconds, nullptr);
}

boost::system::result<HttpReply, HttpError> Transfer::run() {
    if (curl_multi_add_handle(multi_.get(), easy_.get()) != CURLM_OK) throw std::bad_alloc();
    int running = 1;
    for (;;) {
        const CURLMcode code = curl_multi_perform(multi_.get(), &running);
        if (code != CURLM_OK) return HttpError{curl_multi_strerror(code)};
        if (running == 0) break;
        is_stopped_ = watch_.stops && watch_.stops();
        if (is_stopped_) break;
        if (go_on_sending()) continue;
        if (!is_connected() || waits_for_body()) last_sign_ = Clock::now();  // only connect_timeout counts, or nothing
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(last_sign_ + silence_max_ - Clock::now());
        if (left.count() <= 0) break;
        const auto turn = static_cast<int>(std::min(left, watch_.stops ? turn_max_with_stops : turn_max).count());
        wait(turn);
    }
    if (thrown_) std::rethrow_exception(thrown_);
    const CURLcode code = result_of(running);
    // A broker that refuses a large body may reply before it has read all of it. Its reply explains more than the
    // error.
    const bool was_refused = code == CURLE_SEND_ERROR && reply_.status >= 400;
    reply_.had_credentials = server_.credentials.are_secret();
    if (code == CURLE_OK || is_stopped_ || was_refused) return std::move(reply_);
    return error_of(code);
}

HttpError Transfer::error_of(CURLcode code) const {
    long system_error = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &system_error);
    long tunnel_status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_CONNECTCODE, &tunnel_status);
    HttpFailure failure;
    failure.code = code;
    failure.detail = message_[0] != '\0' ? message_.data() : curl_easy_strerror(code);
    failure.system_error = static_cast<int>(system_error);
    failure.tunnel_status = static_cast<unsigned>(tunnel_status);
    failure.authority = server_.authority;
    failure.is_socket = !server_.socket_path.empty();
    failure.files = server_.tls;
    failure.tls = tls_notes_;
    failure.connect_timeout = server_.connect_timeout;
    failure.silence_max = silence_max_;
    failure.was_connected = is_connected();
    failure.had_reply = reply_.status != 0;
    failure.is_too_long = is_too_long_;
    const bool lacks_certificate = tls_notes_.wants_certificate && failure.files.certificate.empty();
    const bool is_lost = is_loss(code) && failure.was_connected && tls_notes_.alert == 0 && !lacks_certificate;
    return {describe_failure(failure), is_lost};
}

}  // namespace

boost::system::result<HttpServer, HttpError> find_server(const BrokerOptions& options) {
    auto url = parse_server_url(options.server);
    if (!url) return url.error();
    HttpServer server;
    static_cast<ServerUrl&>(server) = std::move(*url);
    server.tls = options.tls;
    if (const char* bundle = std::getenv("CURL_CA_BUNDLE"); server.tls.trusted.empty() && bundle != nullptr)
        server.tls.trusted = bundle;
    if (server.is_tls)
        if (auto fault = find_fault(server.tls)) return HttpError{std::move(*fault)};
    auto credentials = find_credentials(options.credentials, server);
    if (!credentials) return credentials.error();
    server.credentials = std::move(*credentials);
    if (!server.credentials.warning.empty())
        process_console(options.colour, options.json).warning(server.credentials.warning);
    if (options.timeout) server.connect_timeout = server.silence_max = *options.timeout;
    return server;
}

boost::system::result<HttpReply, HttpError> send(const HttpServer& server, const HttpRequest& request,
                                                 const HttpWatch& watch) {
    return Transfer(server, request, watch).run();
}

std::string http_library() {
    const curl_version_info_data* info = curl_version_info(CURLVERSION_NOW);
    return "libcurl " + std::string(info->version) +
           (info->ssl_version ? " (" + std::string(info->ssl_version) + ")" : "");
}

}  // namespace sluice::cli
