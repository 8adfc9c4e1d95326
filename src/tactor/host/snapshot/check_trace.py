#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails unless a trace is complete: each arrow has both ends, times are in order, parents exist.

    check_trace.py chrome|otlp FILE
"""
import collections
import json
import sys


def check_chrome(trace):
    events = trace["traceEvents"]
    threads = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    slices = [e for e in events if e["ph"] == "X"]
    handled = {e["args"]["span"]: e for e in slices if e["cat"] != "send"}
    assert len(handled) == trace["otherData"]["recorded"], "a span is there twice"
    for e in slices:
        assert e["tid"] in threads and e["dur"] >= 0 and e["ts"] >= 0, e
    arrows = collections.defaultdict(dict)
    for e in events:
        if e["ph"] in "sf":
            assert e["ph"] not in arrows[e["id"]], e
            arrows[e["id"]][e["ph"]] = e
    for span, ends in arrows.items():
        assert set(ends) == {"s", "f"}, f"{span}: an arrow with one end"
        assert ends["s"]["ts"] <= ends["f"]["ts"] == handled[span]["ts"], span
        assert ends["f"]["tid"] == handled[span]["tid"], span
        parent = handled[span]["args"].get("parent")
        if parent in handled:  # it was sent while the parent was handled, on the same thread
            of = handled[parent]
            assert of["tid"] == ends["s"]["tid"] and of["ts"] <= ends["s"]["ts"] <= of["ts"] + of["dur"] + 0.001, span
            assert of["args"]["trace"] == handled[span]["args"]["trace"], span
    return len(handled), len(arrows)


def check_otlp(trace):
    spans = [span for of in trace["resourceSpans"] for scope in of["scopeSpans"] for span in scope["spans"]]
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans), "a span is there twice"
    for span in spans:
        assert len(span["traceId"]) == 32 and len(span["spanId"]) == 16 and int(span["traceId"], 16), span
        begin = int(span["events"][0]["timeUnixNano"])
        assert int(span["startTimeUnixNano"]) <= begin <= int(span["endTimeUnixNano"]), span
        if "parentSpanId" in span and span["flags"] & 0x200:  # of another program
            assert span["parentSpanId"] not in by_id, span
        elif "parentSpanId" in span:
            assert by_id[span["parentSpanId"]]["traceId"] == span["traceId"], span
    return len(spans), sum("parentSpanId" in span for span in spans)


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        trace = json.load(file)
    print(*(check_chrome if sys.argv[1] == "chrome" else check_otlp)(trace))


if __name__ == "__main__":
    main()
