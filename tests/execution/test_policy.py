from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolcell.execution.policy import limits_for
from toolcell.model.limits import Ceilings, RunDefaults
from toolcell.model.request import ExecutionRequest

NAMES = st.sampled_from(["a", "b", "c", "d"])
REQUESTS = st.builds(
    ExecutionRequest,
    code=st.just("1"),
    timeout_ms=st.none() | st.integers(1, 600_000),
    max_tool_calls=st.none() | st.integers(0, 50),
    allowed_servers=st.none() | st.lists(NAMES).map(tuple),
)
DEFAULTS = st.builds(RunDefaults, timeout_ms=st.integers(1, 600_000), max_tool_calls=st.integers(0, 50))
CEILINGS = st.builds(
    Ceilings,
    timeout_ms=st.none() | st.integers(1, 600_000),
    max_tool_calls=st.none() | st.integers(1, 50),
    allowed_servers=st.none() | st.frozensets(NAMES),
)


def budget(calls: int) -> float:
    return calls or float("inf")


@given(request=REQUESTS, defaults=DEFAULTS, ceilings=CEILINGS)
def test_no_request_lifts_a_ceiling(request: ExecutionRequest, defaults: RunDefaults, ceilings: Ceilings) -> None:
    limits = limits_for(request, defaults, ceilings)
    assert limits.timeout_ms <= (ceilings.timeout_ms or float("inf"))
    assert budget(limits.max_tool_calls) <= budget(ceilings.max_tool_calls or 0)
    if ceilings.allowed_servers is not None:
        assert limits.allowed_servers is not None
        assert limits.allowed_servers <= ceilings.allowed_servers


@given(request=REQUESTS, defaults=DEFAULTS)
def test_without_a_ceiling_the_request_wins_over_the_configuration(
    request: ExecutionRequest, defaults: RunDefaults
) -> None:
    limits = limits_for(request, defaults, Ceilings())
    assert limits.timeout_ms == (request.timeout_ms or defaults.timeout_ms)
    expected = defaults.max_tool_calls if request.max_tool_calls is None else request.max_tool_calls
    assert limits.max_tool_calls == expected


def test_an_explicit_zero_or_empty_list_lifts_nothing() -> None:
    request = ExecutionRequest(code="1", max_tool_calls=0, allowed_servers=())
    ceilings = Ceilings(max_tool_calls=5, allowed_servers=frozenset({"github"}))
    limits = limits_for(request, RunDefaults(), ceilings)
    assert limits.max_tool_calls == 5
    assert limits.allowed_servers == frozenset({"github"})


def test_a_list_emptied_by_intersection_allows_no_server() -> None:
    request = ExecutionRequest(code="1", allowed_servers=("gitlab",))
    limits = limits_for(request, RunDefaults(), Ceilings(allowed_servers=frozenset({"github"})))
    assert limits.allowed_servers == frozenset()


def test_no_list_on_either_side_allows_every_server() -> None:
    request = ExecutionRequest(code="1", allowed_servers=())
    assert limits_for(request, RunDefaults(), Ceilings()).allowed_servers is None
