// What --help says below a command's options. tests/e2e runs the examples as they stand here.
#pragma once

#include <string>

namespace sluice::cli::help {

constexpr const char* program = R"(sluice help SUBCOMMAND says more about each.

Exit status: 0 done, 1 nothing matched (replay, match, why, search, distance), a line or an item was refused (publish), the store is damaged (store verify), 2 failed, 3 an item is undecided (replay, match, why). Messages are written to standard error.

Environment:
  SLUICE_SERVER            the default of --server
  SLUICE_CACERT            the default of --cacert; if it is not set, CURL_CA_BUNDLE is
  SLUICE_CERT, SLUICE_KEY  the defaults of --cert and --key
  SLUICE_PASSWORD          the password of --user
  SLUICE_TOKEN             the token to send without --user, --token-file and --netrc
  SLUICE_ALLOW_PLAINTEXT   if 1, credentials are sent over plain http to other machines, too
  SLUICE_USERS_FILE        the default of --file of sluice user
  http_proxy, https_proxy  the proxies to use, except for this machine's own addresses
  no_proxy                 other hosts that need no proxy
  NO_COLOR                 if not empty, no colours without --color always)";

struct CommandHelp {
    bool takes_a_filter;
    const char* examples;
    const char* exit_status = "0 done, 2 failed";
    const char* output = "";  // what a line of it has
};

inline std::string footer(const CommandHelp& help) {
    const std::string filter =
        "A filter is an XPath 1.0 path or condition: \"//item[category='politics']\", \"price < 90 and "
        "not(sold)\".\n\n";
    const std::string output = *help.output == '\0' ? "" : std::string("Output: ") + help.output + "\n\n";
    const std::string examples = *help.examples == '\0' ? "" : std::string("Examples:\n") + help.examples + "\n";
    return (help.takes_a_filter ? filter : "") + output + examples + "Exit status: " + help.exit_status + ".";
}

constexpr CommandHelp publish{false, R"(  sluice publish news.rss archive.atom.gz
  curl -s https://example.org/feed | sluice publish --stream news -
  sluice publish --content-type text/csv - < prices.txt
  tail -f log.ndjson | sluice publish -
)",
                              "0 done, 1 a line or an item was refused, 2 failed"};

constexpr CommandHelp subscribe{true, R"(  sluice subscribe --count 1 "category = 'politics'"
  sluice subscribe --count 1 --json --stream '*' 'contains($title, "lamp")' >> events.jsonl
)"};

constexpr CommandHelp replay{true, R"(  sluice replay 'price < 100'
  sluice replay --json --stream '*' "category = 'politics'" > events.jsonl
)",
                             "0 items matched, 1 nothing matched, 2 failed, 3 an item was left undecided"};

constexpr CommandHelp match{
    true, R"(  sluice match 'price < 100' news.rss
  sluice match --json '//entry[link]' news.rss archive.atom.gz
  sluice match --stream news --since 24h 'price < 100'
)",
    "0 items matched, 1 nothing matched, 2 failed, 3 an item was left undecided: a condition would exceed a "
    "broker's default budget, or with --since the broker did not decide all events"};

constexpr CommandHelp why{true, R"(  sluice why --id 3 "not(category = 'politics') and price < 1000"
  sluice why --id 2 --stream default --json 'category = "fishing"' | python3 -m json.tool
)",
                          "0 the event matches, 1 it does not, 2 failed, 3 it is undecided"};

constexpr CommandHelp explain{true, R"(  sluice explain '//item[price < 100 and not(following-sibling::item)]'
)"};

constexpr CommandHelp store{false, R"(  sluice store stat --all store
  sluice store verify store
  sluice store backup --store store monday
  sluice store export store > store.export
  sluice store import store.export moved
  sluice store repair store
)",
                            "0 done, 1 the store is damaged (verify), 2 failed"};

// Of each of its commands.
constexpr CommandHelp store_command{false, ""};
constexpr CommandHelp store_verify{false, "", "0 the store is sound, 1 it is damaged, 2 failed"};

constexpr CommandHelp user{false,
                           R"(  sluice user add alice --file users.yaml --subscribe 'news.*'
  sluice user add cron --file users.yaml --no-password --publish prices
  sluice user token cron --file users.yaml --expires 90d --note 'on the mail server' > cron.token
  sluice user list --file users.yaml
  sluice user remove alice --file users.yaml
)"};

// Of each of its commands.
constexpr CommandHelp user_command{false, ""};

constexpr CommandHelp align{false, R"(  sluice align --alignment read.fasta genome.fasta
  sluice align --format tsv read.fasta genome.fasta > scores.tsv
  sluice align --both-strands --format paf read.fasta genome.fasta > read.paf
)",
                            "0 done, 2 failed",
                            "names, lengths and score of each pair; with --alignment or paf also its positions, counts "
                            "and CIGAR. In text, tsv and json letters count from 1, and an end is the last letter; in "
                            "paf from 0, and an end is the letter after the last."};

constexpr CommandHelp search{
    false, R"(  sluice search patterns.txt genome.fasta
  sluice search --count patterns.txt genome.fasta > counts.tsv
  sluice search --plain patterns.txt genome.fasta
  sluice search --both-strands --ignore-case patterns.txt genome.fasta
  cat genome.fasta | sluice search --summary --algorithm prefix-sums patterns.txt -
)",
    "0 a pattern occurs, 1 none occurs, 2 failed",
    "FILE:RECORD:OFFSET:STRAND:PATTERN, a line for each occurrence: FILE if there are several, "
    "RECORD of FASTA, STRAND with --both-strands. Offsets are in bytes. They count from 0, as "
    "record_index and pattern_index do in JSON. With --count: the number of occurrences, a "
    "tab, the pattern."};

constexpr CommandHelp distance{false, R"(  sluice distance words.txt notes.txt
  sluice distance --within 2 words.txt notes.txt
  sluice distance --best --costs keyboard.costs words.txt notes.txt
  sluice distance --summary --one-text words.txt notes.txt
)",
                               "0 done, 1 no pair is within --within, 2 failed",
                               "a line for each pair, with tabs: distance, number of the pattern, number of the text, "
                               "pattern, text. The numbers are those of lines, or of FASTA's records, and count from "
                               "1. Of FASTA, the text is the record's name; pattern and text are cut if they are "
                               "long."};

constexpr CommandHelp recurrence{false, R"(  sluice recurrence --epsilon 0.5 waves.txt
  sluice recurrence --epsilon 0.5 --algorithm microstates --json waves.txt
  sluice recurrence --epsilon 0.5 --plot waves.png waves.txt
)"};

constexpr CommandHelp status{false, R"(  sluice status
  sluice status --json | python3 -m json.tool
)"};

constexpr CommandHelp top{false, R"(  sluice top --count 1 --interval 500ms
  sluice top --count 2 --interval 1s --json > load.jsonl
)"};

constexpr CommandHelp subscriptions{
    true, R"(  sluice subscriptions set work --filter 'price < 100' --start first --dead-letter failed
  sluice subscribe --subscription work --count 1 --ack
  sluice subscribe --subscription work --count 1 --exec 'cat >> events.jsonl'
  sluice subscriptions list
  sluice subscriptions set work --prefetch 10 --default filter
  sluice subscriptions seek work 24h
  sluice subscriptions dead work >> failed.txt
  sluice subscriptions show work
  sluice subscriptions delete work
)"};

// Of each of its commands.
constexpr CommandHelp subscription{false, ""};

constexpr CommandHelp streams{false, R"(  sluice streams
  sluice streams news --set deduplicate=false --set repair=strict
  sluice streams purge news --before 5
  sluice streams erase news 5
  sluice streams -- purge                       # the stream of this name
  sluice streams news --delete
)"};

}  // namespace sluice::cli::help
