"""What the OpenAPI document cannot say: the only reasons for which the API may refuse what the document allows."""
import schemathesis

# Rules of lint about several members, or about members of any name.
RULES = {
    "api-management/codes-differ",
    "api-management/correlation-header",
    "api-management/delay-and-no-delay",
    "api-management/delay-not-below-burst",
    "api-management/delay-without-burst",
    "api-management/policies-twice",
    "api-management/rate-overflow",
    "api-management/zone-memory",
    # Numbers that would become other numbers; nesting.
    "json",
    # What nginx can run: paths, hostnames, backends.
    "publication",
    # Names, ranges and hostnames in detail; each hostname once.
    "backends",
    "tenancy",
}

# Places of a request that must agree with others, or with what is stored.
PLACES = {
    "/name": "the name of the path",
    "/environment": "an environment of the workspace",
    "/query/name": "only with policies alone",
    "/query/hostname": "only with policies alone, and with name",
    "/query/version": "only with policies alone, and with name",
    "/password": "not the name of the user, none of the most common, at most so many bytes, no control characters",
    "/expires": "a time from now until in a year",
    "/query/to": "a fragment",
    "/oldPassword": "only for one's own password",
    "/query/page": "not with pageToken",
    "/query/pageToken": "a token of this list",
    "/query/limit": "not with pageSize",
    "/query/after": "a token of this list, not with pageToken",
}

# What is there, and what a client knows of it.
STATUSES = {404, 409, 412, 422, 428}

# No user has this password; too many wrong ones were sent.
SIGN_IN = {401, 429}


@schemathesis.check
def accepts_what_the_document_allows(ctx, response, case):
    """In the place of positive_data_acceptance, which knows no reasons."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code < 400 or response.status_code in STATUSES:
        return
    if response.status_code in SIGN_IN and case.operation.label == "POST /session":
        return
    if response.status_code == 405:  # unsupported methods have a check of their own
        return
    errors = response.json().get("errors", []) if response.status_code == 400 else []
    unknown = [
        error for error in errors
        if error["rule"] not in RULES and not (error["rule"] == "request" and error["pointer"] in PLACES)
    ]
    assert errors and not unknown, f"refused with {response.status_code}, though the document allows it: {response.text[:500]}"
