// Compares the time that the shipped server takes to start with that of `node -e 0`, which does
// nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@petstore/testing';
import { operations, service } from '@petstore/types';
import { compare, type Effort, newScratch, type Section } from './measure.ts';
import { end, ours, serverSettings } from './servers.ts';
import { apiKey, fillFolder, PET_COUNT } from './workload.ts';

export async function start(effort: Effort): Promise<Section> {
  using scratch = newScratch();
  const folder = join(scratch.path, 'data');
  await fillFolder(folder, PET_COUNT);
  const page = service.basePath + operations.listPets.path;
  const subjects = {
    'node -e 0': { measure: startNode },
    'first page of pets': { measure: () => startOurs(folder, page), atMost: 4 },
    'readiness of the server': { measure: () => startOurs(folder, '/readyz'), atMost: 6 },
  };
  return { table: await compare('ms from the start of a process', subjects, effort) };
}

async function startNode(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

/** The milliseconds until a request to the server succeeds. */
async function startOurs(folder: string, path: string): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const env = serverSettings(folder, port);
  const child = spawn(process.execPath, ours, { env, stdio: 'ignore' });
  try {
    await untilOk(child, `http://127.0.0.1:${port}${path}`);
    return performance.now() - started;
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
