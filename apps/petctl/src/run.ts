import { version } from './call/client.ts';
import { fullTree } from './commands/tree.ts';
import { type HttpTransport, httpTransport } from './io/http.ts';
import type { Io } from './io/process-io.ts';
import { operations as all, type Operation } from './old.ts';
import { errorLine, isJsonFormat, isJsonOutput, reportOf } from './output/report.ts';
import { parse } from './parse/parser.ts';
import { type ResolvedSettings, resolveSettings } from './settings/resolve.ts';
import { settings } from './settings/settings.ts';

/** Replacements for the operations of the spec and for the HTTP transport. */
export interface RunOptions {
  readonly operations?: readonly Operation[];
  readonly transport?: HttpTransport;
}

/** The first word of a completion script's call. It is no command of the tree, because an unfinished command line follows. */
const completionCall = '__complete';

/** Runs a command line, and throws its error. */
export async function run(argv: readonly string[], io: Io, options: RunOptions = {}): Promise<void> {
  const { operations = Object.values(all), transport = httpTransport(io.env) } = options;
  const root = fullTree(operations);
  if (argv[0] === completionCall) return (await import('./commands/completion.ts')).complete(root, argv.slice(1), io);
  const parsed = parse(root, argv);
  const { node, path, flags } = parsed;
  if (parsed.version) return io.stdout.write(`${version}\n`);
  if (!node.run || flags.has('help')) {
    const { help } = await import('./commands/help/help.ts');
    return io.stdout.write(help({ path, node }, io, flags));
  }
  let userSettings: ResolvedSettings | undefined;
  await node.run({
    ...parsed,
    root,
    operations,
    io,
    transport,
    // Lazy: help and completion must work with an invalid setting.
    get userSettings() {
      userSettings ??= resolveSettings(flags, io.env);
      return userSettings;
    },
  });
}

/** Writes an error on one line, and returns its exit code. */
export async function reportError(error: unknown, argv: readonly string[], io: Io, options: RunOptions = {}) {
  const report = reportOf(error);
  const { flags } = parse(fullTree(options.operations), argv, { isPartial: true });
  await io.stderr.write(errorLine(report, wantsJsonErrors(flags, io)));
  return report.exit;
}

/** Whether to write errors as JSON. Does not throw if the command line or a setting is invalid. */
function wantsJsonErrors(flags: ReadonlyMap<string, unknown>, { env }: Io): boolean {
  try {
    return isJsonOutput(resolveSettings(flags, env));
  } catch {
    // If another setting is invalid, the format still counts.
    const { flag, variable } = settings.output;
    return isJsonFormat(flags.get(flag.name) ?? env[variable]);
  }
}
