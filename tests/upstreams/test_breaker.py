from __future__ import annotations

from toolcell.upstreams.breaker import FIRST_DELAY, LONGEST_DELAY, Breaker


def test_after_one_failure_the_next_call_may_try_at_once() -> None:
    breaker = Breaker()
    breaker.failed(100.0)
    assert breaker.wait(100.0) == 0


def test_each_further_failure_doubles_the_wait_up_to_the_longest() -> None:
    breaker, waits = Breaker(), []
    for _ in range(12):
        breaker.failed(100.0)
        waits.append(breaker.wait(100.0))
    assert waits[:4] == [0.0, FIRST_DELAY, 2 * FIRST_DELAY, 4 * FIRST_DELAY]
    assert waits[-1] == LONGEST_DELAY


def test_the_wait_runs_down_and_a_success_ends_it() -> None:
    breaker = Breaker()
    for _ in range(3):
        breaker.failed(100.0)
    assert breaker.wait(100.75) == 0.25
    assert breaker.wait(102.0) == 0
    breaker.failed(102.0)
    breaker.succeeded()
    assert (breaker.wait(102.0), breaker.failures) == (0, 0)
