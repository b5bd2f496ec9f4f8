import { operations as all, type Operation } from '@petstore/types';
import { version } from './call/service.ts';
import { fullTree } from './commands/tree.ts';
import { type HttpTransport, httpTransport } from './io/http.ts';
import type { Io } from './io/io.ts';
import { isJson } from './output/options.ts';
import { errorLine, errorReport } from './output/report.ts';
import type { CommandNode } from './parse/command.ts';
import { read, readPartially } from './parse/read.ts';
import { type Resolved, resolve } from './settings/profiles.ts';
import { settings } from './settings/settings.ts';

/** Replacements for the service's own operations and transport. */
export interface RunOptions {
  readonly operations?: readonly Operation[];
  readonly transport?: HttpTransport;
}

/** Runs a command line. Throws its error. */
export async function run(argv: readonly string[], io: Io, options: RunOptions = {}): Promise<void> {
  const { operations = Object.values(all), transport = httpTransport(io.env) } = options;
  const root = fullTree(operations);
  const reading = read(root, argv);
  const { node, path, flags } = reading;
  if (reading.version) return io.stdout.write(`${version}\n`);
  if (!node.run || flags.has('help')) {
    const { help } = await import('./commands/help/help.ts');
    return io.stdout.write(help({ path, node }, io, flags));
  }
  let resolved: Resolved | undefined;
  await node.run({
    ...reading,
    root,
    operations,
    io,
    transport,
    // Lazy: help, completion and config commands must work with a broken configuration.
    get settings() {
      resolved ??= resolve(flags, io.env);
      return resolved;
    },
  });
}

/** Writes an error on one line, and returns its exit code. */
export async function reportError(
  error: unknown,
  argv: readonly string[],
  { stderr, env }: Io,
  { operations }: RunOptions = {},
): Promise<number> {
  const report = errorReport(error);
  await stderr.write(errorLine(report, isJsonOutput(fullTree(operations), argv, env)));
  return report.exit;
}

/** Whether to write errors as JSON, also for an invalid command line or configuration. */
function isJsonOutput(root: CommandNode, argv: readonly string[], env: Io['env']): boolean {
  const { flags } = readPartially(root, argv);
  const { name } = settings.output.flag;
  const output = flags.get(name) ?? env[settings.output.env];
  if (typeof output === 'string' && output !== '') return isJson(output);
  try {
    return isJson(resolve(flags, env).of(settings.output).value);
  } catch {
    // An unreadable configuration is reported as text.
    return false;
  }
}
