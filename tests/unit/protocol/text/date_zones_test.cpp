#include "protocol/text/date_zones.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/protocol/text/read_date.hpp"

using namespace sluice::text;

namespace {

std::string read_at(const std::string& zone) { return read_date("Fri, 23 Aug 2019 16:07:09 " + zone); }

}  // namespace

TEST_CASE("offsets") {
    for (const char* zone :
         {"-0700",      "-07:00",    "-07",       "-7",        "-700",        "--0700",    "-07:00:00",
          "-0700 MST",  "-0700 PDT", "-0700 XYZ", "-0700 GMT", "MST-07:00",   "MST -0700", "GMT-7",
          "GMT -07:00", "UTC-0700",  "XYZ-0700",  "-07:00Z",   "-0700 (PDT)", "-0700 -07", "PT -0700"}) {
        INFO(zone);
        CHECK(read_at(zone) == "2019-08-23T23:07:09Z");
    }
    CHECK(read_at("+1400") == "2019-08-23T02:07:09Z");
    CHECK(read_at("-1200") == "2019-08-24T04:07:09Z");
    CHECK(read_at("+00:00:01") == "2019-08-23T16:07:08Z");
    for (const char* zone : {"+1401", "-1201", "-12:00:01", "+2500", "+0060", "+zz:00", "+00:zz", "+", "+07000",
                             "EST+5", "EST+0500", "-0700 -08", "-0700 MST MST", "0200", "+0000 more", "-0700 A1"}) {
        INFO(zone);
        CHECK(read_at(zone) == "none");
    }
}

TEST_CASE("names of zones") {
    CHECK(read_at("MET") == "2019-08-23T15:07:09Z");
    CHECK(read_at("MEST") == "2019-08-23T14:07:09Z");
    CHECK(read_at("BST") == "2019-08-23T15:07:09Z");
    CHECK(read_at("jst") == "2019-08-23T07:07:09Z");
    CHECK(read_at("AST") == "2019-08-23T20:07:09Z");
    CHECK(read_at("NST") == "2019-08-23T19:37:09Z");
    CHECK(read_at("Asia/Kolkata") == "2019-08-23T10:37:09Z");
    CHECK(read_at("Etc/GMT") == "2019-08-23T16:07:09Z");
    CHECK(read_at("SGT") == read_at("+0800"));
    CHECK(read_at("BRT") == read_at("-0300"));
    for (const char* zone : {"A", "Y", "J", "IST", "XYZ", "Zulu", "Etc/GMT+5", "Africa/Casablanca", "Europe/", "/"}) {
        INFO(zone);
        CHECK(read_at(zone) == "none");
    }
}

TEST_CASE("clocks that are put forward in summer") {
    CHECK(read_at("ET") == "2019-08-23T20:07:09Z");
    CHECK(read_at("CT") == "2019-08-23T21:07:09Z");
    CHECK(read_at("MT") == "2019-08-23T22:07:09Z");
    CHECK(read_at("PT") == "2019-08-23T23:07:09Z");
    CHECK(read_at("Europe/Brussels") == "2019-08-23T14:07:09Z");
    CHECK(read_at("America/Los_Angeles") == "2019-08-23T23:07:09Z");
    CHECK(read_date("Mon, 26 Jan 2004 16:31:00 ET") == "2004-01-26T21:31:00Z");
    CHECK(read_date("25 Feb 2016 00:00:00 Europe/Brussels") == "2016-02-24T23:00:00Z");

    // America since 2007
    CHECK(read_date("2019-03-10 01:59:59 ET") == "2019-03-10T06:59:59Z");
    CHECK(read_date("2019-03-10 02:00:00 ET") == "none");
    CHECK(read_date("2019-03-10 02:59:59 ET") == "none");
    CHECK(read_date("2019-03-10 03:00:00 ET") == "2019-03-10T07:00:00Z");
    CHECK(read_date("2019-11-03 00:59:59 ET") == "2019-11-03T04:59:59Z");
    CHECK(read_date("2019-11-03 01:00:00 ET") == "none");
    CHECK(read_date("2019-11-03 01:59:59 ET") == "none");
    CHECK(read_date("2019-11-03 02:00:00 ET") == "2019-11-03T07:00:00Z");
    // America since 1987
    CHECK(read_date("2006-03-31 12:00 PT") == "2006-03-31T20:00:00Z");
    CHECK(read_date("2006-04-02 12:00 PT") == "2006-04-02T19:00:00Z");
    CHECK(read_date("2006-10-28 12:00 PT") == "2006-10-28T19:00:00Z");
    CHECK(read_date("2006-10-29 12:00 PT") == "2006-10-29T20:00:00Z");
    CHECK(read_date("1986-12-31 12:00 PT") == "none");
    // Europe
    CHECK(read_date("2019-03-31 00:59 Europe/London") == "2019-03-31T00:59:00Z");
    CHECK(read_date("2019-03-31 01:30 Europe/London") == "none");
    CHECK(read_date("2019-03-31 03:00 Europe/Paris") == "2019-03-31T01:00:00Z");
    CHECK(read_date("2019-10-27 02:59 Europe/Athens") == "2019-10-26T23:59:00Z");
    CHECK(read_date("2019-10-27 03:30 Europe/Athens") == "none");
    CHECK(read_date("2019-10-27 04:00 Europe/Athens") == "2019-10-27T02:00:00Z");
    CHECK(read_date("1995-12-31 12:00 Europe/Paris") == "none");
    // Moscow
    CHECK(read_date("01 Jan 2010 12:00 MSK") == "2010-01-01T09:00:00Z");
    CHECK(read_date("01 Jan 2013 12:00 MSK") == "2013-01-01T08:00:00Z");
    CHECK(read_date("01 Jan 2015 12:00 MSK") == "2015-01-01T09:00:00Z");
}

TEST_CASE("a zone in a comment counts where there is no other") {
    CHECK(read_at("(CEST)") == read_at("+0200"));
    CHECK(read_at("(UTC)") == read_at("Z"));
    CHECK(read_at("+0100 (CEST)") == read_at("+0100"));
    CHECK(read_at("PDT (XYZ)") == read_at("-0700"));
    CHECK(read_at("(Coordinated Universal Time)") == read_at("Z"));
    CHECK(read_at("(IST)") == "none");
    CHECK(read_date("2019-08-23T16:07:09 (CEST)") == read_at("+0200"));
    CHECK(read_date("23. August 2019, 16:07:09 (CEST)") == read_at("+0200"));
    CHECK(read_date("23. August 2019, 16:07:09 (IST)") == "none");
}
