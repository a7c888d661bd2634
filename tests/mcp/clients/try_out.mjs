// Asks a connected client for everything that notesdb serves from notes-sample; throws at what is missing.
import assert from "node:assert/strict";

export async function tryOut(client, revision) {
  assert.equal(client.getServerVersion().name, "notesdb");
  if (client.getNegotiatedProtocolVersion) assert.equal(client.getNegotiatedProtocolVersion(), revision);
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === "db_query" && tool.outputSchema));
  const { resources } = await client.listResources();
  assert.ok(resources.length > 0);
  assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0);
  assert.ok((await client.listPrompts()).prompts.length > 0);
  const { contents } = await client.readResource({ uri: resources[0].uri });
  assert.ok(contents[0].text.length > 0);
  const answer = await client.callTool({ name: "db_query", arguments: { database_id: "books", limit: 1 } });
  assert.equal(answer.structuredContent.rows.length, 1);
  assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent);
  const wrong = await client.callTool({ name: "db_query", arguments: { database_id: "bokos" } });
  assert.ok(wrong.isError && wrong.content[0].text.includes("books"));
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "triage" }, argument: { name: "database_id", value: "b" } });
  assert.ok(completion.values.includes("books"));
  await client.close();
}
