#include "protocol/text/date.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/protocol/text/read_date.hpp"

using namespace sluice::text;

TEST_CASE("dates in the style of RFC 822") {
    CHECK(parse_date("Mon, 16 Oct 2017 15:10:00 +0000") == 1508166600.0);
    const char* same[] = {
        "Mon, 16 Oct 2017 15:10:00 +0000",
        "Mon, 16 Oct 2017 15:10:00 GMT",
        "Mon, 16 Oct 2017 15:10:00 Z",
        "Mon, 16 Oct 2017 15:10:00 UT",
        "Mon, 16 Oct 2017 15:10:00 utc",
        "Mon, 16 Oct 2017 15:10:00 +00:00",
        "Mon, 16 Oct 2017 15:10:00 -0000",
        "Mon, 16 Oct 2017 15:10:00",
        "16 Oct 2017 15:10:00 GMT",
        "Mon, 16 Oct 2017 15:10 GMT",
        "Monday, 16 October 2017 15:10 GMT",
        "Mon 16 Oct 2017 15:10:00 GMT",
        "Mon, 16 Oct 17 15:10:00 GMT",
        " \n Mon,16  Oct\t2017  15:10:00 GMT\n",
        "Mon, 16-Oct-2017 15:10:00 GMT",
        "Monday, 16-Oct-17 15:10:00 GMT",
        "mon, 16 OCT 2017 15:10:00 gmt",
        "Mon, 16 Oct 2017 11:10:00 EDT",
        "Mon, 16 Oct 2017 10:10:00 EST",
        "Mon, 16 Oct 2017 08:10:00 PDT",
        "Mon, 16 Oct 2017 07:10:00 PST",
        "Mon, 16 Oct 2017 17:10:00 +0200",
        "Mon, 16 Oct 2017 17:10:00 +02:00",
        "Mon, 16 Oct 2017 17:10:00 GMT+0200",
        "Mon, 16 Oct 2017 17:10:00 UTC+2",
        "Mon, 16 Oct 2017 09:40:00 -0530",
        "Mon, 16 Oct 2017 17:10:00 CEST",
        "Mon, 16 Oct 2017 15:10:00 GMT (Greenwich (mean) time)",
        "Mon, (day) 16 Oct 2017 15:10:00 (no zone)",
        "Mon, 16 Oct 2017 15:10:00.0 GMT",
        "Mon, 16 Oct 2017 3:10 PM",
        "Oct 16, 2017 15:10",
        "October 16, 2017 3:10 pm GMT",
        "Mon Oct 16 15:10:00 2017",
        "Mon Oct 16 15:10:00 UTC 2017",
        "Mon Oct 16 11:10:00 EDT 2017",
        "Mon., 16 Oct. 2017 15:10:00 GMT",
        "Thurs, 16 Oct 2017 15:10:00 GMT",  // the weekday is not checked
    };
    for (const char* text : same) {
        INFO(text);
        CHECK(read_date(text) == "2017-10-16T15:10:00Z");
    }
    CHECK(read_date("Thu, 14 May 2020 10:00:18 Z") == "2020-05-14T10:00:18Z");
    CHECK(read_date("6 Sept 2002") == "2002-09-06T00:00:00Z");
    CHECK(read_date("01 Jan 49 00:00 GMT") == "2049-01-01T00:00:00Z");
    CHECK(read_date("01 Jan 50 00:00 GMT") == "1950-01-01T00:00:00Z");
    CHECK(read_date("01 Jan 104 00:00 GMT") == "2004-01-01T00:00:00Z");
    CHECK(read_date("29 Feb 2016 24:00 GMT") == "2016-03-01T00:00:00Z");
    CHECK(read_date("31 Dec 2016 23:59:60 GMT") == "2017-01-01T00:00:00Z");
    CHECK(read_date("Mon, 16 Oct 2017 12:10 AM") == "2017-10-16T00:10:00Z");
    CHECK(read_date("Mon, 16 Oct 2017 12:10 PM") == "2017-10-16T12:10:00Z");
}

TEST_CASE("dates in the style of RFC 3339") {
    const char* same[] = {
        "2017-10-16T15:10:00Z",       "2017-10-16t15:10:00z",      "2017-10-16 15:10:00",
        "2017-10-16T15:10Z",          "2017-10-16T17:10:00+02:00", "2017-10-16T17:10:00+0200",
        "2017-10-16T17:10:00+02",     "2017-10-16 15:10 UTC",      "2017-10-16T15:10:00",
        "2017-10-16T11:10:00 -04:00", "  2017-10-16T15:10:00Z\n",  "2017-10-16T15:10:00.000Z",
    };
    for (const char* text : same) {
        INFO(text);
        CHECK(read_date(text) == "2017-10-16T15:10:00Z");
    }
    CHECK(read_date("2017-10-16") == "2017-10-16T00:00:00Z");
    CHECK(read_date("2017-10-16Z") == "2017-10-16T00:00:00Z");
    CHECK(read_date("2017-10") == "2017-10-01T00:00:00Z");
    CHECK(read_date("2017") == "2017-01-01T00:00:00Z");
    CHECK(read_date("2017-10-16T15:10:00.25Z") == "2017-10-16T15:10:00.25Z");
    CHECK(read_date("2017-10-16T15:10:00,123456789Z") == "2017-10-16T15:10:00.123457Z");
    CHECK(read_date("1969-12-31T23:59:59.5Z") == "1969-12-31T23:59:59.5Z");
    CHECK(read_date("0000-01-01") == "0000-01-01T00:00:00Z");
    CHECK(read_date("9999-12-31T23:59:59Z") == "9999-12-31T23:59:59Z");
}

TEST_CASE("what is no date") {
    for (const char* text : {"",
                             " ",
                             "yesterday",
                             "2017-13-01",
                             "2017-02-29",
                             "2017-10-16T25:00:00Z",
                             "2017-10-16T24:00:01Z",
                             "2017-10-16T15:60:00Z",
                             "2017-10-16T",
                             "201-01-01",
                             "20171",
                             "2017-10-16T15:10:00Zulu!",
                             "2017-10-16T15:10:00+25:00",
                             "2017-10-16T15:10:00+",
                             "31 Apr 2017",
                             "0 Jan 2017",
                             "32 Jan 2017 10:00",
                             "16 Oct",
                             "Mon",
                             "Mon, 16 Oct 2017 15:10:00 +0000 more",
                             "16 Oct 2017 15",
                             "16 Oct 20170 15:10",
                             "016 Oct 2017",
                             "16 Oct 2017 13:10 PM",
                             "(",
                             "Mon, 16 Oct 2017 15:10:00 A",
                             "16 Oct 2017 (open",
                             "16 Oct 2017 15:10:00 W\xC3\xA9",
                             "2017-10-16T15:10:61Z"}) {
        INFO(text);
        CHECK(read_date(text) == "none");
    }
    CHECK(format_rfc3339(std::numeric_limits<double>::quiet_NaN()).empty());
    CHECK(format_rfc3339(1e300).empty());
    CHECK(format_rfc3339(-1e12).empty());
    CHECK(format_rfc3339(253402300799.5) == "9999-12-31T23:59:59.5Z");
    CHECK(format_rfc3339(253402300800) == "");
    CHECK(format_rfc3339(0) == "1970-01-01T00:00:00Z");
}

TEST_CASE("write_rfc3339_us: any time → microseconds, also where they are zero") {
    const std::pair<std::int64_t, const char*> cases[] = {
        {0, "1970-01-01T00:00:00.000000Z"},
        {1, "1970-01-01T00:00:00.000001Z"},
        {999'999, "1970-01-01T00:00:00.999999Z"},
        {1'000'000, "1970-01-01T00:00:01.000000Z"},
        {-1, "1969-12-31T23:59:59.999999Z"},
        {-1'000'000, "1969-12-31T23:59:59.000000Z"},
        {951'782'399'500'000, "2000-02-28T23:59:59.500000Z"},
        {951'782'400'000'000, "2000-02-29T00:00:00.000000Z"},
        {1'795'687'200'123'456, "2026-11-26T10:00:00.123456Z"},
        {253'402'300'799'999'999, "9999-12-31T23:59:59.999999Z"},
        {-62'167'219'200'000'000, "0000-01-01T00:00:00.000000Z"},
    };
    for (const auto& [time, text] : cases) {
        char written[rfc3339_bytes];
        write_rfc3339_us(written, time);
        CHECK(std::string_view(written, sizeof written) == text);
    }
}
