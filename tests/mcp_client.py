"""A client of `mayfly mcp` by the protocol's own library: python3 mcp_client.py MAYFLY RECORDING PID."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def field(thing, *names):
    """Versions of the library spell fields differently."""
    return next(getattr(thing, name) for name in names if hasattr(thing, name))


async def main(mayfly, recording, pid):
    server = StdioServerParameters(command=mayfly, args=["mcp"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert {"list_jvms", "report", "leaks", "diff", "heap", "advise", "record"} <= tools, tools
        jvms = await session.call_tool("list_jvms", {})
        found = field(jvms, "structured_content", "structuredContent")["jvms"]
        assert int(pid) in [jvm["pid"] for jvm in found], found
        report = await session.call_tool("report", {"recording": recording, "limit": 3})
        document = field(report, "structured_content", "structuredContent")
        assert document["schema"] == "mayfly-report/1" and len(document["classes"]) == 3, document
        refused = await session.call_tool("leaks", {"targets": [pid]})
        assert field(refused, "is_error", "isError") and "--allow-attach" in refused.content[0].text, refused
    print("the client is content")


asyncio.run(main(*sys.argv[1:]))
