import { existsSync } from 'node:fs';
import { type Operation, operations, service, version } from '@petstore/types';
import { Command } from 'commander';
import { addSettings, type Config, configOf, secrets } from './config.ts';
import { lineOf, UsageError } from './errors.ts';
import { createKey, readKeys, revokeKey } from './keys.ts';
import type { Running } from './serve.ts';

/** Runs the command line. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  const root = addSettings(new Command('petstore-server'))
    .description(`The ${service.title} server. Without a command, it serves.`)
    .version(version)
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `\nEnvironment:\n  ${secrets.apiKeys}  API keys: a key, or name=key pairs separated by commas (default: those in the data folder)\n  ${secrets.databaseUrl}       address of a PostgreSQL database for the documents (default: the data folder)`,
    )
    .action(() => start(configOf(root.opts(), process.env)));
  const keys = root
    .command('keys')
    .description('create, list and revoke API keys; a running server follows within a second');
  const folderOf = (command: Command) => configOf(command.opts(), process.env).dataDir;
  const below = (name: string, about: string) =>
    addSettings(keys.command(name).description(about), ['PETSTORE_DATA_DIR']);
  below('create', 'create a key, and print it')
    .option('--name <name>', 'name of the key')
    .action((_, command: Command) => {
      const { name, key } = createKey(folderOf(command), command.opts().name);
      process.stderr.write(`The key '${name}' is shown only this once:\n`);
      process.stdout.write(`${key}\n`);
    });
  below('list', 'list the names of the keys').action((_, command: Command) => {
    for (const { name, created } of readKeys(folderOf(command)) ?? []) process.stdout.write(`${name}\t${created}\n`);
  });
  below('revoke', 'revoke a key')
    .argument('<name>', 'name of the key')
    .action((name: string, _, command: Command) => {
      const left = revokeKey(folderOf(command), name);
      process.stderr.write(`Revoked. Keys left: ${left}.\n`);
    });
  try {
    await root.parseAsync(argv);
  } catch (thrown) {
    const error = listenError(thrown);
    process.stderr.write(`petstore-server: ${lineOf(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
    // A log or a socket may be open.
    setTimeout(() => process.exit(), 100).unref();
  }
}

async function start(config: Config): Promise<void> {
  const { serve } = await import('./serve.ts');
  const running = await serve(config);
  process.stderr.write(greeting(running, config));
  let isStopping = false;
  const stop = async () => {
    // A second signal ends at once.
    if (isStopping) process.exit(1);
    isStopping = true;
    await running.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
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
function listenError(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall))))
    return error;
  const { code, address, port, hostname }: Record<string, unknown> = { ...error };
  if (code === 'EADDRINUSE')
    return new UsageError(
      `port ${port} on ${address} is in use; choose another one with PORT=${Number(port) + 1} or --port.`,
    );
  if (code === 'EACCES')
    return new UsageError(
      `port ${port} on ${address} needs another user; use port 1024 or higher with PORT or --port.`,
    );
  return new UsageError(
    `${address ?? hostname} is no address of this machine; choose another one with HOST or --host.`,
  );
}
