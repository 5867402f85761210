#!/usr/bin/env python3
"""Alignments in events, for subscribers that request them."""
import unittest

from client_process import Client
from sluice_process import Sluiced, rss

GENE = "ACGTTGCAACGGTCATTGCA"


def sequences(*texts):
    return rss(*(f"<item><title>{name}</title><guid>{name}</guid>" +
                 "".join(f"<sequence>{letters}</sequence>" for letters in values) + "</item>"
                 for name, *values in texts))


class Annotate(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Sluiced())

    def test_score_place_and_cigar_of_what_holds(self):
        with self.daemon.subscribe([f"align(sequence, '{GENE}') >= 11", "title = 'far'"],
                                   annotate="alignment") as subscriber:
            self.daemon.publish(sequences(("whole", "GG" + GENE + "GG"), ("far", "TTTT"),
                                          ("gap", "CCCC", "acgttgcaac\n tcattgca")))
            whole, far, gap = (subscriber.next_json() for _ in range(3))
            leaf = f"align(sequence, '{GENE}') >= 11"
            self.assertEqual(whole["filters"], [0])
            self.assertEqual(whole["alignments"], [
                {"filter": 0, "leaf": leaf, "value": 0, "score": 20, "query_start": 1, "query_end": 20,
                 "text_start": 3, "text_end": 22, "cigar": "20="}])
            self.assertEqual((far["filters"], far["alignments"]), ([1], []))
            self.assertEqual(gap["alignments"], [
                {"filter": 0, "leaf": leaf, "value": 1, "score": 11, "query_start": 1, "query_end": 20,
                 "text_start": 1, "text_end": 18, "cigar": "10=2I8="}])

    def test_whole_sequences_and_what_does_not_hold(self):
        filter_text = ("align-global(sequence, 'HEAGAWGHEE', 'blosum62:8,8') > -100 and "
                       "not(align(sequence, 'WWWW', 'blosum62') > 1000)")
        with self.daemon.subscribe([filter_text], annotate="alignment") as subscriber:
            self.daemon.publish(sequences(("p", "PAWHEAE")))
            found = subscriber.next_json()["alignments"]
            self.assertEqual([each["score"] for each in found], [-8])
            self.assertEqual((found[0]["query_end"], found[0]["text_end"]), (10, 7))

    def test_nobody_else_gets_them(self):
        with self.daemon.subscribe([f"align(sequence, '{GENE}') >= 11"]) as subscriber:
            self.daemon.publish(sequences(("whole", GENE)))
            self.assertNotIn("alignments", subscriber.next_json())

    def test_the_client_prints_them(self):
        with Client("subscribe", "--server", f"http://127.0.0.1:{self.daemon.port}", "--count", "1",
                    "--annotate", "alignment", f"align(sequence, '{GENE}') >= 11") as client:
            self.daemon.wait_for_subscriptions()
            self.daemon.publish(sequences(("whole", "GG" + GENE)))
            printed = [client.line() for _ in range(3)]
            self.assertEqual(client.ended(), 0)
        self.assertEqual(printed, ["whole", f"  align(sequence, '{GENE}') >= 11: score 20, query 1-20, text 3-22, 20=",
                                   None])

    def test_bad_wishes(self):
        for parameters, expected in (("annotate=cigar", "none or alignment"),
                                     ("annotate=alignment&format=xml", "format=json")):
            status, _, problem = self.daemon.request("GET", "/v1/events?" + parameters)
            self.assertEqual(status, 400)
            self.assertIn(expected, problem["detail"])


class Limit(unittest.TestCase):
    def test_what_is_too_large_is_left_out_and_says_so(self):
        daemon = self.enterContext(Sluiced("limits.alignment_cells=400"))
        with daemon.subscribe([f"align(sequence, '{GENE}') >= 11 or align(sequence, 'ACGT') = 4"],
                              annotate="alignment") as subscriber:
            daemon.publish(sequences(("fits", GENE), ("too large", GENE + "A")))
            fits, too_large = subscriber.next_json()["alignments"], subscriber.next_json()["alignments"]
            self.assertEqual(fits[0]["score"], 20)
            self.assertIn("limits.alignment_cells, 400", fits[1]["omitted"])
            self.assertIn("limits.alignment_cells, 400", too_large[0]["omitted"])
            self.assertEqual(too_large[1]["cigar"], "4=")


if __name__ == "__main__":
    unittest.main()
