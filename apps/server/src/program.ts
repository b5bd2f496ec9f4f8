import { existsSync } from 'node:fs';
import { type Operation, operations, service, version } from '@petstore/types';
import { Command } from 'commander';
import { addSettings, type Config, configOf } from './config.ts';
import { lineOf, UsageError } from './errors.ts';
import { createKey, readKeys, revokeKey } from './keys.ts';
import type { Running } from './serve.ts';

/** What serves is loaded by the commands that need it only, because that takes long. */
const serving = () => import('./serve.ts');

/** Runs the command line. */
export async function main(): Promise<void> {
  const program = addSettings(new Command('petstore-server'))
    .description(`The ${service.title} server. Without a command, it serves.`)
    .version(version)
    // The settings may also follow a command.
    .configureHelp({ showGlobalOptions: true })
    .action(() => start(configOf(program)));
  const command = (parent: Command, name: string, about: string) => parent.command(name).description(about);
  command(program, 'export', 'print all documents as JSON lines, also while the server runs').action(async () => {
    await (await serving()).exportDocuments(configOf(program));
  });
  command(program, 'import', 'add the documents of an export on stdin to an empty store').action(async () => {
    const count = await (await serving()).importDocuments(configOf(program));
    process.stderr.write(`Imported ${count} documents.\n`);
  });
  const keys = command(program, 'keys', 'API keys; a server follows changes within a second');
  const create = command(keys, 'create', 'create a key, and print it').option('--name <name>', 'name of the key');
  create.action((options: { name?: string }) => {
    const { name, key } = createKey(configOf(program).dataDir, options.name);
    process.stderr.write(`The key '${name}' is shown only this once:\n`);
    process.stdout.write(`${key}\n`);
  });
  command(keys, 'list', 'list the names of the keys').action(() => {
    for (const { name, created } of readKeys(configOf(program).dataDir) ?? [])
      process.stdout.write(`${name}\t${created}\n`);
  });
  command(keys, 'revoke <name>', 'revoke a key').action((name: string) => {
    process.stderr.write(`Revoked. Keys left: ${revokeKey(configOf(program).dataDir, name)}.\n`);
  });
  try {
    await program.parseAsync();
  } catch (error) {
    program.error(`petstore-server: ${lineOf(listenError(error, program.opts<Config>()))}`);
  }
}

async function start(config: Config): Promise<void> {
  let running: Running | undefined;
  let isStopping = false;
  const stop = async () => {
    // A second signal ends at once.
    if (isStopping) process.exit(1);
    isStopping = true;
    await running?.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  running = await (await serving()).serve(config);
  process.stderr.write(greeting(running, config));
}

function greeting({ origin, adminOrigin, madeKey }: Running, { apiKeys }: Config): string {
  const base = origin + service.basePath;
  const admin = adminOrigin ? `  For operators         ${adminOrigin}/metrics, /healthz, /readyz\n` : '';
  const another = apiKeys === undefined ? `  For another API key   ${pathOf('petstore-server')} keys create\n` : '';
  const key = madeKey ? `\n  API key, made just now and shown only this once:  ${madeKey}\n` : another;
  const list = Object.values<Operation>(operations).find(({ pagination }) => pagination);
  const tries = list && [
    '\n  Try it from another terminal, in this folder:\n',
    `    PETCTL_API_KEY='${madeKey ?? '<your API key>'}' ${pathOf('petctl')} --base-url ${base} ${list.command.join(' ')}`,
    `    curl -H 'Authorization: Bearer ${madeKey ?? '<your API key>'}' ${base}${list.path}\n`,
  ];
  const head = `\n  ${service.title} listens on  ${base}\n  Its docs are at       ${origin}/docs\n`;
  return `${head}${admin}${key}${tries?.join('\n') ?? ''}\n`;
}

/** How to run a program: by its path where it is installed in this folder, else by its name. */
function pathOf(name: string): string {
  const path = `node_modules/.bin/${name}`;
  return existsSync(path) ? path : name;
}

/** Says what to do if the server cannot listen. Returns any other error unchanged. */
function listenError(error: unknown, { adminPort }: Config): unknown {
  const { syscall, code, address, port, hostname } = error as Record<string, unknown>;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  const setting = port === adminPort ? 'PETSTORE_ADMIN_PORT' : 'PORT';
  const problem = { EADDRINUSE: 'is in use', EACCES: 'is reserved' }[String(code)];
  if (problem) return new UsageError(`port ${port} on ${address} ${problem}; choose another one with ${setting}.`);
  return new UsageError(`${address ?? hostname} is no address of this machine; choose another one with HOST.`);
}
