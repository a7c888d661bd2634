// v1.mjs stdio PROGRAM ARGUMENT... | http URL: what a host does with the v1 SDK, whose reader is strict.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { tryOut } from "./try_out.mjs";

const [door, target, ...args] = process.argv.slice(2);
const client = new Client({ name: "v1", version: "1" }, { capabilities: {} });
await client.connect(door === "stdio"
  ? new StdioClientTransport({ command: target, args, env: process.env })
  : new StreamableHTTPClientTransport(new URL(target)));
await tryOut(client, "2025-11-25");
