// SPDX-License-Identifier: Apache-2.0
//
// The official client against `proofline mcp`: what it receives passes its own schemas, and what a
// user of it relies on holds. Arguments: the client's major version, the program, a report, a folder
// to work in.
import assert from 'node:assert/strict';

const [version, program, report, folder] = process.argv.slice(2);
const modules = {
  1: ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'],
  2: ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
}[version];
const { Client } = await import(modules[0]);
const { StdioClientTransport } = await import(modules[1]);
// Version 1 takes a schema of the result in between.
const call = (tool, options) =>
  version === '1' ? client.callTool(tool, undefined, options) : client.callTool(tool, options);

const transport = new StdioClientTransport({ command: program, args: ['mcp'], cwd: folder });
const client = new Client({ name: 'proofline-test', version: '1' });
client.onerror = (error) => assert.fail(error);
await client.connect(transport);

assert.equal(client.getServerVersion().name, 'proofline');
assert.deepEqual(Object.keys(client.getServerCapabilities()).sort(), ['resources', 'tools']);
assert.match(client.getInstructions(), /diagnose/);
await client.ping();

const { tools } = await client.listTools();
assert.deepEqual(
  tools.map((tool) => tool.name),
  ['bench', 'check', 'compare', 'diagnose', 'explain', 'identify', 'journal', 'sass', 'show', 'timeline', 'try'],
);
for (const tool of tools) assert.equal(typeof tool.annotations.readOnlyHint, 'boolean');

const diagnosis = await call({ name: 'diagnose', arguments: { files: [report] } });
assert.equal(diagnosis.isError, false);
assert.ok(diagnosis.structuredContent.kernels.length > 0);
assert.deepEqual(JSON.parse(diagnosis.content[0].text), diagnosis.structuredContent);

const failed = await call({ name: 'diagnose', arguments: { files: ['gone'] } });
assert.equal(failed.isError, true);
assert.equal(failed.structuredContent.error.kind, 'input');
await assert.rejects(call({ name: 'no-such-tool', arguments: {} }), { code: -32602 });

// Long work tells that it goes on.
const told = [];
const wait = ['sleep', '0.4'];
const bench = await call(
  { name: 'bench', arguments: { a: wait, b: wait, starts: 1 } },
  { onprogress: (progress) => told.push(progress.progress) },
);
assert.equal(bench.isError, false);
assert.ok(told.length > 0);

// And can be cancelled: the next call would otherwise wait for it.
const stop = new AbortController();
const cancelled = call(
  { name: 'bench', arguments: { a: ['sleep', '1000'], b: ['sleep', '1000'] } },
  { signal: stop.signal, onprogress: () => stop.abort('enough') },
);
await assert.rejects(cancelled);
const page = await call({ name: 'explain', arguments: { name: 'long_scoreboard' } });
assert.equal(page.isError, false);

const { resources } = await client.listResources();
const run = resources.find((resource) => resource.uri.startsWith('proofline://run/'));
assert.ok(JSON.parse((await client.readResource({ uri: run.uri })).contents[0].text).steps);
const rule = await client.readResource({ uri: 'proofline://explain/uncoalesced-global' });
assert.match(rule.contents[0].text, /uncoalesced-global/);
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 3);
await assert.rejects(client.readResource({ uri: 'proofline://run/none' }), /no such resource/);

client.onerror = undefined;
await client.close();
console.log('done');
