// v2.mjs default|auto|pinned stdio PROGRAM ARGUMENT... | http URL: the same with the v2 client, which
// speaks the older era unless it is told to find out, or to speak the newer one alone.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { tryOut } from "./try_out.mjs";

const [mode, door, target, ...args] = process.argv.slice(2);
const newest = "2026-07-28";
const negotiation = { default: {}, auto: { versionNegotiation: { mode: "auto" } },
                      pinned: { versionNegotiation: { mode: { pin: newest } } } };
const client = new Client({ name: "v2", version: "1" }, { capabilities: {}, ...negotiation[mode] });
await client.connect(door === "stdio"
  ? new StdioClientTransport({ command: target, args, env: process.env })
  : new StreamableHTTPClientTransport(new URL(target)));
await tryOut(client, mode === "default" ? "2025-11-25" : newest);
