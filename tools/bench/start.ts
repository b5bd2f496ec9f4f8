// Measures how long a start of the shipped server takes, beside a start of Node that does nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { operations, service } from '@petstore/types';
import { atMost, type Effort, inRotation, median, newScratch, type Section } from './measure.ts';
import { end, ourServer, serverSettings } from './peer.ts';
import { apiKey, fillFolder, size } from './pets.ts';

/** Milliseconds from the start of a process to its end, to its first page of pets, and until it is ready. */
interface Starts {
  readonly node: number;
  readonly answered: number;
  readonly ready: number;
}

export async function start(effort: Effort): Promise<Section> {
  using scratch = newScratch();
  const folder = join(scratch.path, 'data');
  await fillFolder(folder, size);
  const measure = async () => ({ node: await startNode(), ...(await startOurs(folder)) });
  const { starts } = await inRotation('start', { starts: measure }, effort.rounds);
  const row = (what: string, key: keyof Starts) => ({
    'from the start of a process': what,
    ms: Math.round(median(starts.map((each) => each[key]))),
    'as a multiple of `node -e 0`': multipleOf(starts, key),
  });
  return {
    title: 'Starting',
    comparisons: [
      '`node -e 0` is what any program of Node costs, so the multiples depend little on the machine.',
      `The server has ${size.toLocaleString('en-US')} pets on the disk, and starts as a user starts it.`,
      `A request is repeated every millisecond until it succeeds: medians of ${effort.rounds} starts.`,
    ],
    tables: [
      [
        row('to the end of `node -e 0`', 'node'),
        row('to the first page of pets', 'answered'),
        row('until `/readyz` says ready', 'ready'),
      ],
    ],
    targets: [
      atMost('first page / node -e 0', multipleOf(starts, 'answered'), 4),
      atMost('ready / node -e 0', multipleOf(starts, 'ready'), 6),
    ],
  };
}

function multipleOf(starts: readonly Starts[], key: keyof Starts): number {
  return median(starts.map((each) => each[key] / each.node));
}

async function startNode(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

async function startOurs(folder: string): Promise<Pick<Starts, 'answered' | 'ready'>> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(process.execPath, [ourServer], {
    env: serverSettings(folder, port),
    stdio: 'ignore',
  });
  try {
    const origin = `http://127.0.0.1:${port}`;
    await untilOk(child, origin + service.basePath + operations.listPets.path);
    const answered = performance.now() - started;
    await untilOk(child, `${origin}/readyz`);
    return { answered, ready: performance.now() - started };
  } finally {
    await end(child);
  }
}

/** Repeats a request until it succeeds. */
async function untilOk(child: ChildProcess, url: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  while (child.exitCode === null) {
    // The server may not listen yet.
    const response = await fetch(url, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await pause(1);
  }
  throw new Error('The server ended while it started.');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
