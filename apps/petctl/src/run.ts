import { operations as all, type Operation } from '@petstore/types';
import { version } from './call/service.ts';
import { fullTree } from './commands/tree.ts';
import { type HttpTransport, httpTransport } from './io/http.ts';
import type { Io } from './io/io.ts';
import { isJson } from './output/options.ts';
import { described, errorLine } from './output/report.ts';
import type { CommandNode } from './parse/node.ts';
import { read, readPartially } from './parse/read.ts';
import { type Resolved, resolve } from './settings/resolve.ts';
import { settings } from './settings/settings.ts';

/** What a run may be given in place of the service's own. */
export interface RunOptions {
  readonly operations?: readonly Operation[];
  readonly transport?: HttpTransport;
}

/** Runs a command line to its end. Throws whatever goes wrong. */
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
    // A broken configuration is no reason not to help, to complete or to mend it.
    get settings() {
      resolved ??= resolve(flags, io.env);
      return resolved;
    },
  });
}

/** Tells of an error, on one line, and returns the exit code that goes with it. */
export async function tellError(
  error: unknown,
  argv: readonly string[],
  { stderr, env }: Io,
  { operations }: RunOptions = {},
): Promise<number> {
  const description = described(error);
  await stderr.write(errorLine(description, isJsonOutput(fullTree(operations), argv, env)));
  return description.exit;
}

/** Whether errors are to be JSON, also where the command line or the configuration makes no sense. */
function isJsonOutput(root: CommandNode, argv: readonly string[], env: Io['env']): boolean {
  const { flags } = readPartially(root, argv);
  const { name } = settings.output.flag;
  const output = flags.get(name) ?? env[settings.output.env];
  if (typeof output === 'string' && output !== '') return isJson(output);
  try {
    return isJson(resolve(flags, env).of(settings.output).value);
  } catch {
    // A configuration that cannot be read is told of as text.
    return false;
  }
}
