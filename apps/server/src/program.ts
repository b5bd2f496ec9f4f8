import { existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Operation, operations, service, version } from '@petstore/types';
import { Command } from 'commander';
import { addSettings, type Config, configOf, secrets } from './config.ts';
import { lineOf, UsageError } from './errors.ts';
import { createKey, readKeys, revokeKey } from './keys.ts';
import type { Running } from './serve.ts';

/** Runs the command line. */
export async function main(): Promise<void> {
  const root = addSettings(new Command('petstore-server'))
    .description(`The ${service.title} server. Without a command, it serves.`)
    .version(version)
    .enablePositionalOptions()
    .addHelpText('after', environment)
    .action((options) => start(configOf(options, process.env)));
  const command = (
    parent: Command,
    name: string,
    about: string,
    run: (config: Config, command: Command) => void | Promise<void>,
  ) =>
    addSettings(parent.command(name).description(about), ['PETSTORE_DATA_DIR']).action((...all) => {
      const own = all.at(-1) as Command;
      return run(configOf(own.opts(), process.env), own);
    });
  command(root, 'export', 'print all documents as JSON lines, also while the server runs', exportDocuments);
  command(root, 'import', 'add the documents of an export on stdin to an empty store', importDocuments);
  const keys = root.command('keys').description('create, list and revoke API keys; a server follows within a second');
  command(keys, 'create', 'create a key, and print it', ({ dataDir }, own) => {
    const { name, key } = createKey(dataDir, own.opts().name);
    process.stderr.write(`The key '${name}' is shown only this once:\n`);
    process.stdout.write(`${key}\n`);
  }).option('--name <name>', 'name of the key');
  command(keys, 'list', 'list the names of the keys', ({ dataDir }) => {
    for (const { name, created } of readKeys(dataDir) ?? []) process.stdout.write(`${name}\t${created}\n`);
  });
  command(keys, 'revoke', 'revoke a key', ({ dataDir }, own) => {
    process.stderr.write(`Revoked. Keys left: ${revokeKey(dataDir, own.args[0] ?? '')}.\n`);
  }).argument('<name>', 'name of the key');
  try {
    await root.parseAsync();
  } catch (thrown) {
    const error = listenError(thrown, root.opts().adminPort);
    process.stderr.write(`petstore-server: ${lineOf(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
    // A log or a socket may be open.
    setTimeout(() => process.exit(), 100).unref();
  }
}

const environment = `
Environment:
  ${secrets.apiKeys}  API keys: a key, or name=key pairs separated by commas (default: those in the data folder)
  ${secrets.databaseUrl}       address of a PostgreSQL database for the documents (default: the data folder)`;

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
  const { serve } = await import('./serve.ts');
  running = await serve(config);
  process.stderr.write(greeting(running, config));
}

async function exportDocuments(config: Config): Promise<void> {
  const { exportLines } = await import('./transfer.ts');
  const { openStore } = await import('./serve.ts');
  const { declarations } = await import('./index.ts');
  const { readLowdbFolder } = await import('./store/lowdb.ts');
  // A folder is read without its lock, because a server may use it.
  const isFolder = config.databaseUrl === undefined;
  const store = await (isFolder ? readLowdbFolder(config.dataDir, declarations) : openStore(config));
  try {
    await pipeline(exportLines(store, declarations), process.stdout);
  } finally {
    await store.close();
  }
}

async function importDocuments(config: Config): Promise<void> {
  const { importLines } = await import('./transfer.ts');
  const { openStore } = await import('./serve.ts');
  const { declarations } = await import('./index.ts');
  const store = await openStore(config);
  try {
    const count = await importLines(store, declarations, process.stdin);
    process.stderr.write(`Imported ${count} documents.\n`);
  } finally {
    await store.close();
  }
}

function greeting({ origin, adminOrigin, madeKey }: Running, { apiKeys }: Config): string {
  const base = origin + service.basePath;
  const admin = adminOrigin ? `  For operators         ${adminOrigin}/metrics, /healthz, /readyz\n` : '';
  const another =
    apiKeys === undefined ? `  For another API key   ${programPath('petstore-server')} keys create\n` : '';
  const key = madeKey ? `\n  API key, made just now and shown only this once:  ${madeKey}\n` : another;
  const shown = madeKey ?? '<your API key>';
  const list = Object.values<Operation>(operations).find(({ pagination }) => pagination);
  const tries = list
    ? `\n  Try it from another terminal, in this folder:\n
    PETCTL_API_KEY='${shown}' ${programPath('petctl')} --base-url ${base} ${list.command.join(' ')}
    curl -H 'Authorization: Bearer ${shown}' ${base}${list.path}\n`
    : '';
  return `\n  ${service.title} listens on  ${base}\n  Its docs are at       ${origin}/docs\n${admin}${key}${tries}`;
}

/** How to run a program: by its path where it is installed in this folder, else by its name. */
function programPath(name: string): string {
  const path = `node_modules/.bin/${name}`;
  return existsSync(path) ? path : name;
}

/** Says what to do if the server cannot listen. Returns any other error unchanged. */
function listenError(error: unknown, adminPort: unknown): unknown {
  const { syscall, code, address, port, hostname } = error as Record<string, unknown>;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  const setting = port === adminPort ? 'PETSTORE_ADMIN_PORT' : 'PORT';
  if (code === 'EADDRINUSE')
    return new UsageError(
      `port ${port} on ${address} is in use; choose another one with ${setting}=${Number(port) + 1}.`,
    );
  if (code === 'EACCES')
    return new UsageError(`port ${port} on ${address} is reserved; choose 1024 or higher with ${setting}.`);
  return new UsageError(`${address ?? hostname} is no address of this machine; choose another one with HOST.`);
}
