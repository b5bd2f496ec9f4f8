import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandOn } from '../process.ts';
import { connections, type Generator, keyPlace, type Result, requestsOf, withCost } from './load.ts';

const hasWrk = spawnSync('wrk', ['--version']).error === undefined;

/** A load by wrk, a program in C, where it is installed: what only one generator measures may be of its making. */
export function wrkGenerators(scratch: string): Generator[] {
  if (!hasWrk) return [];
  const script = join(scratch, 'requests.lua');
  return [
    {
      name: 'wrk',
      run: (server, load, milliseconds) => {
        writeFileSync(script, scriptOf(requestsOf(load)));
        // It counts whole seconds.
        const seconds = Math.max(1, Math.round(milliseconds / 1000));
        const address = `http://127.0.0.1:${server.port}/`;
        const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, address];
        return withCost(server, () => runWrk(args));
      },
      stop: async () => {},
    },
  ];
}

/** Asks for one after the other, and writes what came of it as JSON. Text of JSON in ASCII is text of Lua. */
function scriptOf(requests: readonly string[]): string {
  return `local requests = {${requests.map((text) => JSON.stringify(text)).join(',')}}
local sent = 0
local run = os.time() * 100000000
request = function()
  sent = sent + 1
  return (requests[(sent - 1) % #requests + 1]:gsub(${JSON.stringify(keyPlace)}, string.format('%0${keyPlace.length}d', run + sent)))
end
done = function(summary, latency)
  local failed = summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('{"answered":%d,"us":%d,"failed":%d,"p50":%f,"p99":%f}',
    summary.requests, summary.duration, failed, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;
}

async function runWrk(args: readonly string[]): Promise<Result> {
  const [command = '', ...rest] = commandOn('load', 'wrk', args);
  const { stdout } = await promisify(execFile)(command, rest);
  const { us, failed, ...result } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  if (failed > 0) throw new Error(`${failed} requests of wrk failed.`);
  return { ...result, perSecond: (result.answered * 1e6) / us };
}
