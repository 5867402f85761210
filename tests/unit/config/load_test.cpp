#include "config/load.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "protocol/text/stream_name.hpp"
#include "tests/support/source_folder.hpp"

using namespace std::chrono_literals;
using sluice::config::load_config;
using sluice::config::parse_config;

namespace {

std::vector<std::string> errors_of(std::string_view text, std::vector<std::string> overrides = {}) {
    std::vector<std::string> texts;
    for (const auto& error : parse_config("f.yaml", text, overrides).errors) texts.push_back(to_string(error));
    return texts;
}

using Errors = std::vector<std::string>;

struct Bad {
    std::string_view text;
    std::string_view error;
};

}  // namespace

TEST_CASE("the built-in file gives every option its default") {
    const auto config = parse_config("f.yaml", "");
    REQUIRE(config.errors.empty());
    const sluice::config::Options& o = config.options;
    CHECK(o.http.address == "127.0.0.1");
    CHECK(o.http.port == 8080);
    CHECK(o.http.hosts.empty());
    CHECK(o.limits.address_exempt == std::vector<std::string>{"127.0.0.0/8", "::1"});
    CHECK(o.matcher.backend == sluice::config::BackendOption::automatic);
    CHECK(o.matcher.devices == std::vector<int>{0});
    CHECK(o.matcher.device_bytes == 0);
    CHECK(o.matcher.batch_delay == 200us);
    CHECK(o.matcher.batch_events == 32);
    CHECK(o.matcher.apply_delay == 5ms);
    CHECK(o.limits.document_bytes == 16u << 20);
    CHECK(o.limits.filter_conjunctions == 256);
    CHECK(o.limits.filters_per_connection == 128);
    CHECK(o.limits.durable_subscriptions == 10'000);
    CHECK(o.delivery.heartbeat == 15s);
    CHECK(o.log.level == sluice::config::LogLevel::info);
    CHECK(o.store.kind == sluice::config::StoreKind::rocksdb);
    CHECK_FALSE(o.store.path);
    CHECK_FALSE(o.store.backups);
    CHECK(o.store.sync == sluice::config::StoreSync::group);
    CHECK_FALSE(o.store.bytes);
    CHECK(o.store.retention.age == 7 * 24h);
    CHECK(o.store.retention.events == 0);
    CHECK(o.store.retention.bytes == 0);
    CHECK(o.streams.empty());
}

TEST_CASE("what is retained of all streams and of one") {
    const auto config = parse_config("f.yaml", R"(
store: {bytes: 0, retention: {events: 5}}
streams:
  weather: {retention: {age: 3d, bytes: 16MiB}, context: document}
  news:
)");
    REQUIRE(config.errors.empty());
    const sluice::config::StoreOptions& store = config.options.store;
    CHECK(store.bytes == 0u);
    CHECK(store.retention.age == 7 * 24h);
    CHECK(store.retention.events == 5);
    const auto& weather = config.options.streams.at("weather");
    CHECK(weather.retention.age == 3 * 24h);
    CHECK_FALSE(weather.retention.events);
    CHECK(weather.retention.bytes == 16u << 20);
    CHECK(weather.context == sluice::config::ContextOption::document);
    CHECK_FALSE(config.options.streams.at("news").retention.age);
    CHECK(config.options.streams.at("news").context == sluice::config::ContextOption::automatic);
    CHECK_FALSE(parse_config("f.yaml", "store: {bytes: auto}").options.store.bytes);
}

TEST_CASE("where the store is, and when it is synced") {
    const auto store = [](std::string_view text, std::vector<std::string> overrides = {}) {
        const auto config = parse_config("f.yaml", text, overrides);
        REQUIRE(config.errors.empty());
        return config.options.store;
    };
    CHECK(store("store: {kind: memory}").kind == sluice::config::StoreKind::memory);
    CHECK(store("store: {path: build/store}").path == "build/store");
    CHECK(store("", {"store.path=/var/lib/sluice"}).path == "/var/lib/sluice");
    CHECK_FALSE(store("store: {path: /srv/store}", {"store.path=auto"}).path);
    CHECK(store("store: {backups: /srv/backups}").backups == "/srv/backups");
    CHECK(store("store: {sync: none}").sync == sluice::config::StoreSync::none);
}

TEST_CASE("a file changes what it names and nothing else") {
    const auto config = parse_config("f.yaml", R"(
http: {port: 0}
log:
  format: json
matcher:
streams:
  weather:
    event_path: //observation
    deduplicate: false
    repair: strict
  news:
)");
    REQUIRE(config.errors.empty());
    CHECK(config.options.http.port == 0);
    CHECK(config.options.http.address == "127.0.0.1");
    CHECK(config.options.log.format == sluice::config::LogFormat::json);
    CHECK(config.options.log.level == sluice::config::LogLevel::info);
    REQUIRE(config.options.streams.size() == 2);
    CHECK(config.options.streams.at("weather").event_path == "//observation");
    CHECK_FALSE(config.options.streams.at("weather").deduplicate);
    CHECK(config.options.streams.at("weather").repair == sluice::config::RepairOption::strict);
    CHECK(config.options.streams.at("news").deduplicate);
    CHECK(config.options.streams.at("news").repair == sluice::config::RepairOption::lenient);
}

TEST_CASE("a bad file is refused with place and reason") {
    const std::vector<Bad> table{
        {"http:\n  prot: 1\n", "f.yaml:2:3: unknown option \"prot\" in \"http\"; did you mean \"port\"?"},
        {"htp: {}\n", "f.yaml:1:1: unknown option \"htp\"; did you mean \"http\"?"},
        {"colour: red\n", "f.yaml:1:1: unknown option \"colour\""},
        {"http: 8080\n", "f.yaml:1:7: http: expected a map of options, found \"8080\""},
        {"[1, 2]\n", "f.yaml:1:1: expected a map of options"},
        {"http:\n  address: localhost\n", "f.yaml:2:12: http.address: expected an IP address, found \"localhost\""},
        {"http:\n  address: \"::g\"\n", "f.yaml:2:12: http.address: expected an IP address, found the text \"::g\""},
        {"http:\n  port: eighty\n", "f.yaml:2:9: http.port: expected an integer, found \"eighty\""},
        {"http:\n  port: \"80\"\n", "f.yaml:2:9: http.port: expected an integer, found the text \"80\""},
        {"http:\n  port: 65536\n", "f.yaml:2:9: http.port: 65536 is not between 0 and 65535"},
        {"http:\n  port: -1\n", "f.yaml:2:9: http.port: -1 is not between 0 and 65535"},
        {"http:\n  port: 99999999999999999999\n",
         "f.yaml:2:9: http.port: 99999999999999999999 is not between 0 and 65535"},
        {"http:\n  port: [80]\n", "f.yaml:2:9: http.port: expected an integer, found a list"},
        {"http:\n  port:\n", "f.yaml:2:3: http.port: expected an integer, found nothing"},
        {"http:\n  port: 1\n  port: 2\n", "f.yaml:3:3: duplicate key \"port\", first on line 2"},
        {"matcher:\n  batch_delay: 200\n",
         "f.yaml:2:16: matcher.batch_delay: 200 has no unit; write 200s for seconds, or 200us, ms, min, h or d"},
        {"matcher:\n  batch_delay: 200 us\n",
         "f.yaml:2:16: matcher.batch_delay: expected a duration with its unit, such as 200us, 5ms, 15s, 10min, 1h or "
         "90d, found \"200 us\""},
        {"matcher:\n  batch_delay: 2h\n", "f.yaml:2:16: matcher.batch_delay: 2h is not between 0us and 1s"},
        {"matcher:\n  backend: gpu\n",
         "f.yaml:2:12: matcher.backend: expected one of auto, cpu, cuda, naive, found \"gpu\""},
        {"matcher:\n  devices: 0\n",
         "f.yaml:2:12: matcher.devices: expected a list of different integers between 0 and 255, such as [0, 1], found "
         "\"0\""},
        {"matcher:\n  devices: [0, 0]\n",
         "f.yaml:2:16: matcher.devices: expected a list of different integers between 0 and 255, such as [0, 1], found "
         "\"0\""},
        {"matcher:\n  devices: [256]\n",
         "f.yaml:2:13: matcher.devices: expected a list of different integers between 0 and 255, such as [0, 1], found "
         "\"256\""},
        {"matcher:\n  devices: []\n",
         "f.yaml:2:12: matcher.devices: expected a list of different integers between 0 and 255, such as [0, 1], found "
         "a list"},
        {"matcher:\n  batch_events: 0\n", "f.yaml:2:17: matcher.batch_events: 0 is not between 1 and 1024"},
        {"limits:\n  document_bytes: 16MB\n",
         "f.yaml:2:19: limits.document_bytes: expected a size, such as 4096, 64KiB, 16MiB or 1GiB, found \"16MB\"; did "
         "you mean 16MiB?"},
        {"limits:\n  document_bytes: 2GiB\n", "f.yaml:2:19: limits.document_bytes: 2GiB is not between 1B and 1GiB"},
        {"delivery:\n  slow_consumer: block\n",
         "f.yaml:2:18: delivery.slow_consumer: expected one of replay, disconnect, found \"block\""},
        {"streams:\n  we ather: {}\n",
         "f.yaml:2:3: streams: a name has 1 to 128 of the characters A-Z a-z 0-9 . _ - (not just ., .. or -), not \"we "
         "ather\""},
        {"streams:\n  w:\n    event_pth: x\n",
         "f.yaml:3:5: unknown option \"event_pth\" in \"streams.w\"; did you mean \"event_path\"?"},
        {"store:\n  kind: disk\n", "f.yaml:2:9: store.kind: expected one of rocksdb, memory, found \"disk\""},
        {"store:\n  path: ''\n", "f.yaml:2:9: store.path: expected auto or the path of a folder"},
        {"store:\n  path: \"a\\0b\"\n", "f.yaml:2:9: store.path: expected auto or the path of a folder"},
        {"store:\n  backups: ''\n", "f.yaml:2:12: store.backups: expected auto or the path of a folder"},
        {"store:\n  path: [a]\n", "f.yaml:2:9: store.path: expected a text, found a list"},
        {"store:\n  sync: always\n", "f.yaml:2:9: store.sync: expected one of group, none, found \"always\""},
        {"store:\n  bytes: none\n",
         "f.yaml:2:10: store.bytes: expected auto or a size, such as 4096, 64KiB, 16MiB or 1GiB, found \"none\""},
        {"store:\n  retention: {evnts: 3}\n",
         "f.yaml:2:15: unknown option \"evnts\" in \"store.retention\"; did you mean \"events\"?"},
        {"limits:\n  durable_subscriptions: 1000001\n",
         "f.yaml:2:26: limits.durable_subscriptions: 1000001 is not between 0 and 1000000"},
        {"limits:\n  memory: 1MiB\n", "f.yaml:2:11: limits.memory: 1MiB is not between 64MiB and 1024GiB"},
        {"limits:\n  memory: 512\n",
         "f.yaml:2:11: limits.memory: 512 is not between 64MiB and 1024GiB; it has no unit (KiB, MiB or GiB), so it is "
         "in bytes"},
        {"http: {allow_origins: [\"*\", \"https://example.org/\"]}\n",
         "f.yaml:1:29: http.allow_origins[1]: an origin has no path: write https://example.org"},
        {"http: {allow_origins: [example.org/]}\n",
         "f.yaml:1:24: http.allow_origins[0]: expected an origin such as https://example.org, in lower case, or \"*\", "
         "found \"example.org/\""},
        {"http: {allow_origins: https://example.org}\n",
         "f.yaml:1:23: http.allow_origins: expected a list of at most 1000 origins, such as [https://example.org], "
         "found "
         "\"https://example.org\""},
        {"http:\n\tport: 1\n", "f.yaml:2:1: a tab; YAML is indented by spaces"},
        {"streams:\n  w:\n    retention:\n      age: 36501d\n",
         "f.yaml:4:12: streams.w.retention.age: 36501d is not between 0us and 36500d"},
        {"http: {listeners: 1}\n", "f.yaml:1:19: http.listeners: expected a list of at most 32 maps, found \"1\""},
        {"http: {listeners: [8080]}\n", "f.yaml:1:20: http.listeners[0]: expected a map of options, found \"8080\""},
        {"http: {listeners: [{address: \"::1\"}]}\n",
         "f.yaml:1:20: http.listeners[0]: expected address and port, or unix"},
        {"http: {listeners: [{unix: /s, port: 1}]}\n",
         "f.yaml:1:20: http.listeners[0]: expected address and port, or unix"},
        {"http: {listeners: [{unix: s}]}\n", "f.yaml:1:27: http.listeners[0].unix: expected an absolute path"},
        {"http: {listeners: [{unix: /s, mode: rw}]}\n",
         "f.yaml:1:37: http.listeners[0].mode: expected permissions, such as 0660"},
        {"http: {listeners: [{unix: /s, tls: true}]}\n",
         "f.yaml:1:20: http.listeners[0].tls: a Unix socket needs none, what is sent does not leave the machine"},
        {"http: {listeners: [{address: \"::1\", port: 1, mode: \"0600\"}]}\n",
         "f.yaml:1:20: http.listeners[0].mode: only a Unix socket has permissions"},
        {"http: {listeners: [{unix: /s, prt: 1}]}\n",
         "f.yaml:1:31: unknown option \"prt\" in \"http.listeners[0]\"; did you mean \"port\"?"},
        {"tls: {certificates: [{certificate: a.pem}]}\n",
         "f.yaml:1:22: tls.certificates[0]: expected certificate and key"},
        {"tls: {client_certificates: maybe}\n",
         "f.yaml:1:28: tls.client_certificates: expected one of none, request, require, found \"maybe\""},
        {"tls: {client_certificates: require}\n",
         "f.yaml: tls.client_certificates: they are checked against tls.client_ca, which is not set"},
        {"http: {listeners: [{address: 0.0.0.0, port: 1, tls: true}]}\n",
         "f.yaml: http.listeners: tls: true needs tls.certificates"},
        {"tls: {certificates: [{certificate: a.pem, key: a.key}]}\n",
         "f.yaml: tls.certificates: no listener shows them; write tls: true for one of http.listeners"},
        {"http: {listeners: [{unix: /s}, {address: \"::1\", port: 1}, {unix: /s}]}\n",
         "f.yaml: http.listeners: unix:/s is there twice; leave one out"},
        {"http: {listeners: [{address: \"::1\", port: 1}, {address: \"::1\", port: 1}]}\n",
         "f.yaml: http.listeners: ::1 port 1 is there twice; leave one out"},
        {"http: {port: 81, listeners: [{unix: /s}]}\n",
         "f.yaml:1:8: http.port: has no effect beside http.listeners; leave it out, and set the listener's port"},
        {"http: {hosts: [\"*.example.org\"]}\n",
         "f.yaml:1:16: http.hosts: expected a list of names such as broker.example.org, or \"*\", found the text "
         "\"*.example.org\""},
        {"port: 81\n", "f.yaml:1:1: unknown option \"port\"; did you mean \"http.port\"?"},
        {"threads: 2\n", "f.yaml:1:1: unknown option \"threads\""},  // of two sections
        {"publsh: {}\n", "f.yaml:1:1: unknown option \"publsh\"; did you mean \"publish\"?"},
        {"store: {bytes: 10GB}\n",
         "f.yaml:1:16: store.bytes: expected auto or a size, such as 4096, 64KiB, 16MiB or 1GiB, found \"10GB\"; did "
         "you mean 10GiB?"},
        {"streams:\n  w:\n    deduplicate: yes\n",
         "f.yaml:3:18: streams.w.deduplicate: expected true or false, found \"yes\""},
    };
    for (const Bad& bad : table) {
        CAPTURE(bad.text);
        CHECK(errors_of(bad.text) == Errors{std::string(bad.error)});
    }
}

TEST_CASE("every fault is reported, not only the first") {
    CHECK(errors_of("http:\n  port: x\n  prot: 1\nlog: {level: loud}\n").size() == 3);
}

TEST_CASE("overrides come last and are as strict") {
    const std::vector<std::string> good{"http.port=0", "log.format=json", "streams={w: {event_path: //o}}"};
    const auto config = parse_config("f.yaml", "http: {port: 81}\n", good);
    REQUIRE(config.errors.empty());
    CHECK(config.options.http.port == 0);
    CHECK(config.options.log.format == sluice::config::LogFormat::json);
    CHECK(config.options.streams.at("w").event_path == "//o");

    CHECK(errors_of("", {"http.port=x"}) == Errors{"--set http.port=x: http.port: expected an integer, found \"x\""});
    CHECK(errors_of("", {"http.prt=1"}) ==
          Errors{"--set http.prt=1: unknown option \"prt\" in \"http\"; did you mean \"port\"?"});
    CHECK(errors_of("", {"http.port"}) == Errors{"--set http.port: expected NAME=VALUE, such as http.port=8080"});
    CHECK(errors_of("", {"=1"}) == Errors{"--set =1: expected NAME=VALUE, such as http.port=8080"});
    CHECK(errors_of("", {"http.port=[1"}).size() == 1);
}

TEST_CASE("an event path is refused where it stands") {
    const auto check = [](const std::string& path) { return path == "//o" ? "" : "not a good one"; };
    const auto errors = [&](std::string_view text, std::vector<std::string> overrides = {}) {
        Errors texts;
        for (const auto& error : parse_config("f.yaml", text, overrides, check).errors)
            texts.push_back(to_string(error));
        return texts;
    };
    CHECK(errors("streams:\n  w: {event_path: //o}\n", {"streams={v: {event_path: //o}}"}).empty());
    CHECK(errors("streams:\n  w:\n    event_path: //p\n") ==
          Errors{"f.yaml:3:17: streams.w.event_path: not a good one"});
    CHECK(errors("", {"streams={w: {event_path: //p}}"}) ==
          Errors{"--set streams={w: {event_path: //p}}: streams.w.event_path: not a good one"});
}

TEST_CASE("an id path has names of elements, and last perhaps of an attribute") {
    const auto errors = [](const std::string& path) {
        return parse_config("f.yaml", "streams:\n  w:\n    id_path: \"" + path + "\"\n", {}).errors;
    };
    for (const char* path : {"", "id", "sensor/id", "@id", "sensor/@id", "dc:identifier", "_1.x-y", "mesure/numéro"}) {
        CAPTURE(path);
        CHECK(errors(path).empty());
    }
    for (const char* path :
         {"/",         "//id", "/id", "id/", "@",     "@a/b",  "a/@", "*",  "a[1]", "a b",  "a or b",
          "string(a)", "$id",  ".",   "..",  "../id", "a/./b", "1a",  "-a", ":a",   "a\\0", "a\\x01b"}) {
        CAPTURE(path);
        REQUIRE(errors(path).size() == 1);
        CHECK(to_string(errors(path)[0]).find("f.yaml:3:14: streams.w.id_path: not names of elements") == 0);
    }
    CHECK(errors(std::string(1'025, 'a')).size() == 1);
}

TEST_CASE("nothing is suggested for what is not near") {
    CHECK(errors_of("", {"foo.bar=1"}) == Errors{"--set foo.bar=1: unknown option \"foo\""});
}

TEST_CASE("an override may be an IPv6 address") {
    for (const std::string address : {"::", "::1", "fe80::", "fe80::1%eth0", "127.0.0.1", "'::'"}) {
        CAPTURE(address);
        const std::vector<std::string> overrides{"http.address=" + address, "http.allow_plaintext=true"};
        const auto config = parse_config("f.yaml", "", overrides);
        REQUIRE(config.errors.empty());
        CHECK(config.options.http.address == (address == "'::'" ? "::" : address));
    }
    CHECK(errors_of("", {"http.address=:"}).size() == 1);
    CHECK(errors_of("", {"http=port: 0"}).empty());
}

TEST_CASE("where it listens") {
    const auto places = [](const std::string& text) {
        const auto config = parse_config("f.yaml", text);
        std::string said;
        for (const auto& error : config.errors) said += error.message + '\n';
        CAPTURE(said);
        REQUIRE(config.errors.empty());
        return sluice::config::places_to_listen(config.options.http);
    };
    REQUIRE(places("").size() == 1);
    CHECK(places("")[0].text() == "127.0.0.1 port 8080");
    const auto both = places(R"(
http:
  listeners:
    - {address: 0.0.0.0, port: 8443, tls: true}
    - {unix: /run/s.sock, mode: "0600"}
    - {unix: /run/t.sock}
tls:
  certificates: [{certificate: a.pem, key: a.key}, {certificate: b.pem, key: b.key}]
)");
    REQUIRE(both.size() == 3);
    CHECK(both[0].tls);
    CHECK(both[0].text() == "0.0.0.0 port 8443");
    CHECK(both[1].text() == "unix:/run/s.sock");
    CHECK(both[1].mode == 0600);
    CHECK(both[2].mode == 0660);
    CHECK_FALSE(both[1].tls);

    // The last list counts.
    const std::vector<std::string> override_list{"http.listeners=[{unix: /b}]"};
    const auto config = parse_config("f.yaml", "http: {listeners: [{unix: /a}, {unix: /c}]}", override_list);
    REQUIRE(config.options.http.listeners.size() == 1);
    CHECK(config.options.http.listeners[0].unix_path == "/b");

    CHECK(errors_of("", {"port=18120"}) ==
          Errors{"--set port=18120: unknown option \"port\"; did you mean \"http.port\"?"});

    // A list takes the place of an earlier port, and no port that of an earlier list.
    CHECK(errors_of("", {"http.port=0", "http.listeners=[{unix: /b}]"}).empty());
    CHECK(errors_of("http: {listeners: [{unix: /a}]}", {"http.address=127.0.0.1"}) ==
          Errors{"--set http.address=127.0.0.1: http.address: has no effect beside http.listeners; leave it out, and "
                 "set the listener's address"});
    CHECK(errors_of("http: {port: 81, listeners: []}").empty());
    CHECK(errors_of("http: {listeners: [{address: \"::1\", port: 0}, {address: \"::1\", port: 0}]}").empty());
}

TEST_CASE("plain HTTP that other machines can reach must be allowed") {
    for (const std::string address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
        CAPTURE(address);
        CHECK(errors_of("", {"http.address=" + address}).empty());
    }
    for (const std::string address : {"0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1", "fe80::1%lo", "1.127.0.0"}) {
        CAPTURE(address);
        const Errors errors = errors_of("", {"http.address=" + address});
        REQUIRE(errors.size() == 1);
        CHECK(errors[0].find(address + " port 8080, which is plain HTTP") != std::string::npos);
        CHECK(errors_of("", {"http.address=" + address, "http.allow_plaintext=true"}).empty());
    }
    CHECK(
        errors_of("http: {listeners: [{address: 192.0.2.1, port: 1}]}\n") ==
        Errors{"f.yaml: http.listeners: others could read and change what is sent to 192.0.2.1 port 1, which is plain "
               "HTTP; write tls: true and tls.certificates, or, if the network protects it, http.allow_plaintext: "
               "true"});
}

TEST_CASE("lists of texts") {
    const auto config = parse_config("f.yaml", R"(
http: {hosts: [broker.example, "*"], allow_origins: ["https://a.example", "http://localhost:3000", "*"],
       trusted_proxies: [unix, 192.0.2.1, 10.0.0.0/8, "::1"]}
limits: {address_exempt: [192.0.2.1, 10.0.0.0/8, "2001:db8::/32"]}
)");
    REQUIRE(config.errors.empty());
    CHECK(config.options.http.hosts == std::vector<std::string>{"broker.example", "*"});
    CHECK(config.options.http.allow_origins.size() == 3);
    CHECK(config.options.http.trusted_proxies == std::vector<std::string>{"unix", "192.0.2.1", "10.0.0.0/8", "::1"});
    CHECK(parse_config("f.yaml", "").options.http.trusted_proxies.empty());
    CHECK(parse_config("f.yaml", "limits: {address_exempt: []}").options.limits.address_exempt.empty());
    CHECK(
        errors_of("http: {hosts: x}") ==
        Errors{"f.yaml:1:15: http.hosts: expected a list of names such as broker.example.org, or \"*\", found \"x\""});
    for (const char* bad : {"[http://a]", "[a/b]", "['']", "[[a]]", "[~]"}) {
        CHECK(errors_of("http: {hosts: " + std::string(bad) + "}").size() == 1);
    }
    for (const char* bad : {"[a.example]", "['https://']", "['https://a/']", "['https://A.example']", "['://a']"}) {
        CAPTURE(bad);
        CHECK(errors_of("http: {allow_origins: " + std::string(bad) + "}").size() == 1);
    }
    CHECK(errors_of("http: {trusted_proxies: [nginx]}") ==
          Errors{"f.yaml:1:26: http.trusted_proxies: expected a list of addresses and networks, such as 192.0.2.1 or "
                 "10.0.0.0/8, or \"unix\", found \"nginx\""});
    const std::string listeners = "http: {listeners: [{address: 127.0.0.1, port: 8081, proxy_protocol: true}]";
    CHECK(errors_of(listeners + "}").size() == 1);  // accepted from nobody
    CHECK(errors_of(listeners + ", trusted_proxies: [127.0.0.1]}").empty());
    for (const char* bad : {"unix", "[Unix]", "['unix:']", "[10.0.0.0/33]", "['*']", "['']"}) {
        CAPTURE(bad);
        CHECK(errors_of("http: {trusted_proxies: " + std::string(bad) + "}").size() == 1);
    }
    for (const char* bad :
         {"[localhost]", "[10.0.0.0/33]", "['::/129']", "[10.0.0.0/]", "[10.0.0/8]", "[10.0.0.0/a]"}) {
        CAPTURE(bad);
        CHECK(errors_of("limits: {address_exempt: " + std::string(bad) + "}").size() == 1);
    }
}

TEST_CASE("a file that can't be read is an error") {
    const auto directory = std::filesystem::temp_directory_path();
    CHECK(sluice::config::to_string(load_config(directory).errors.at(0)) == directory.string() + ": is a directory");
    const auto missing = directory / "sluice-no-such-file.yaml";
    CHECK(sluice::config::to_string(load_config(missing).errors.at(0)) ==
          missing.string() + ": cannot be read: No such file or directory");
    CHECK(load_config(std::nullopt).errors.empty());
    CHECK(load_config("/dev/zero").errors.at(0).message == "is a device; expected a file or a pipe");
    CHECK(load_config("/dev/null").errors.empty());
    CHECK(load_config(sluice::testing::source_folder() / "config/sluice.yaml").errors.empty());
}

TEST_CASE("stream names") {
    CHECK(sluice::text::is_stream_name("default"));
    for (const char* good : {"a.B_c-9", "...", "--", "-a", ".a", "_"}) CHECK(sluice::text::is_stream_name(good));
    CHECK(sluice::text::is_stream_name(std::string(128, 'x')));
    CHECK_FALSE(sluice::text::is_stream_name(std::string(129, 'x')));
    for (const char* bad : {"", "*", "a b", "a/b", "é", "a\n", ".", "..", "-"})
        CHECK_FALSE(sluice::text::is_stream_name(bad));
}

TEST_CASE("a map of many keys is read, and only the first hundred faults in it are reported") {
    std::string streams = "streams:\n", unknown = "{", repeated;
    for (int i = 0; i < 20'000; ++i) {
        streams += "  s" + std::to_string(i) + ": {}\n";
        unknown += (i == 0 ? "k" : ", k") + std::to_string(i);
    }
    repeated = streams + "  s10000: {}\n";
    const auto config = sluice::config::parse_config("f.yaml", streams, {}, {});
    CHECK(config.errors.empty());
    CHECK(config.options.streams.size() == 20'000);
    const auto twice = sluice::config::parse_config("f.yaml", repeated, {}, {});
    REQUIRE(twice.errors.size() == 1);
    CHECK(to_string(twice.errors[0]) == "f.yaml:20002:3: duplicate key \"s10000\", first on line 10002");
    sluice::config::StreamOptions options;
    const auto faults = sluice::config::parse_stream_options("body", unknown + "}", options, {});
    REQUIRE(faults.size() == 100);
    CHECK(to_string(faults[99]).find("unknown option \"k99\"") != std::string::npos);
}
