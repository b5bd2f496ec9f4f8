// The load generators: our own, whose connections also send a new key with each request, and wrk, where it is installed.
// Both measure the CPU time that a load costs the server.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stop } from '../../test/support/process.ts';
import { commandOn, nextMessage, run, type Server } from '../process.ts';
import type { Order, Result } from './generator.ts';
import { KEY_PLACEHOLDER, type Load, requestTexts } from './loads.ts';

/** A result with the microseconds of CPU time that the server's process used for each response, and its user part. */
export interface Measured extends Result {
  cpu: number;
  user: number;
}

/** The number of concurrent connections. */
export const connections = 64;

/** Sends the requests of a load to a server for `milliseconds`. */
export type RunLoad = (server: Server, load: Load, milliseconds: number) => Promise<Measured>;

/** A process that generates load. */
export interface Generator {
  readonly run: RunLoad;
  stop(): Promise<void>;
}

/** Starts our own generator: autocannon uses three times the CPU of a server, and wrk is not installed everywhere. */
export function startGenerator(): Generator {
  const child = run('load', { script: join(import.meta.dirname, 'generator.ts') });
  child.stderr?.pipe(process.stderr);
  const request = async <T>(message: Order | 'go'): Promise<T> => {
    const pending = nextMessage<T | { error: string }>(child, 60_000);
    child.send(message);
    const reply = await pending;
    if (typeof reply === 'object' && reply !== null && 'error' in reply) throw new Error(reply.error);
    return reply as T;
  };
  return {
    run: async (server, load, milliseconds) => {
      const [{ port }, { status }] = [server, load];
      const requests = requestTexts(load);
      await request({ port, requests, keyPlaceholder: KEY_PLACEHOLDER, status, connections, milliseconds });
      const measured = await withCost(server, () => request<Result>('go'));
      child.send('close');
      return measured;
    },
    stop: () => stop(child),
  };
}

/** Runs a load with wrk, which confirms our own generator. Undefined if wrk is not installed. */
export function wrkGenerator(scratch: string): RunLoad | undefined {
  if (spawnSync('wrk', ['--version']).error) return undefined;
  const script = join(scratch, 'requests.lua');
  return (server, load, milliseconds) => {
    writeFileSync(script, luaScript(requestTexts(load)));
    // wrk accepts only whole seconds.
    const seconds = Math.max(1, Math.round(milliseconds / 1000));
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, `http://127.0.0.1:${server.port}/`];
    return withCost(server, () => runWrk(args));
  };
}

/** Sends the requests in turn, and writes the result as JSON. A JSON string of ASCII characters is a Lua string. */
const luaScript = (requests: readonly string[]) => `local requests = {${requests.map((text) => JSON.stringify(text))}}
local sent = 0
request = function()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end
done = function(summary, latency)
  local failed = summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('{"responses":%d,"us":%d,"failed":%d,"p50":%f,"p99":%f}',
    summary.requests, summary.duration, failed, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;

async function runWrk(args: readonly string[]): Promise<Result> {
  const [command = '', ...rest] = commandOn('load', 'wrk', args);
  const { stdout } = await promisify(execFile)(command, rest);
  const { us, failed, ...result } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  if (failed > 0) throw new Error(`${failed} requests of wrk failed.`);
  return { ...result, perSecond: (result.responses * 1e6) / us };
}

/** Runs a load and adds what it cost the server. */
async function withCost(server: Server, load: () => Promise<Result>): Promise<Measured> {
  const before = await server.usage();
  const result = await load();
  const after = await server.usage();
  const each = (what: 'cpu' | 'user') => (after[what] - before[what]) / result.responses;
  return { ...result, cpu: each('cpu'), user: each('user') };
}
