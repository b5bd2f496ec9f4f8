import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Operation as Row, type Schema, typeIn } from '@petstore/types';
import type { CommandNode } from 'petctl/internal';
import { type Finished, type RunPetctlOptions, runPetctl } from '../../drift/checks/petctl/run.ts';
import { jsonText } from '../../openapi/body.ts';
import type { SentRequest } from '../../openapi/compare.ts';
import { targetOf } from '../../openapi/recorder.ts';
import type { Credentials } from '../../openapi/security.ts';

type Petctl = typeof import('petctl/internal');

/** A copy of petctl beside a generated client: its commands are the operations of this client, and call it. */
export interface GeneratedPetctl {
  /** The words of every command, each with the names of its flags. */
  readonly commands: ReadonlyMap<string, { fields: string[]; flags: string[] }>;
  /** Runs a command line in this process. */
  run(argv: readonly string[], options?: RunPetctlOptions): Promise<Finished>;
  /** The command line of a call, with the inputs as the client takes them. Files are written to `folder`. */
  words(row: Row, input: object, folder: string): Promise<string[]>;
  /** The variables that give credentials. */
  environment(credentials: Credentials): Record<string, string>;
  /**
   * The request that `--dry-run` shows with a base address, as `server` sees it, with each credential instead of its
   * variable; else petctl's error.
   */
  dryRun(
    words: readonly string[],
    credentials: Credentials,
    base: string,
    server?: string,
  ): Promise<{ sent?: SentRequest; error?: string }>;
}

/** Copies petctl beside the client in `folder`, and loads it. */
export async function loadPetctl(folder: string): Promise<GeneratedPetctl> {
  const petctl = join(import.meta.dirname, '../../../apps/petctl');
  const packageFolder = join(folder, 'apps/petctl');
  cpSync(join(petctl, 'src'), join(packageFolder, 'src'), { recursive: true });
  cpSync(join(petctl, 'package.json'), join(packageFolder, 'package.json'));
  mkdirSync(join(packageFolder, 'node_modules/@petstore'), { recursive: true });
  for (const name of ['types', 'client'])
    symlinkSync(join(folder, 'packages', name), join(packageFolder, 'node_modules/@petstore', name), 'junction');
  for (const name of ['commander', 'jq-wasm', 'yaml'])
    symlinkSync(join(petctl, 'node_modules', name), join(packageFolder, 'node_modules', name), 'junction');
  const loaded: Petctl = await import(join(packageFolder, 'src/internal.ts'));
  const { fullTree, walk, schemes } = loaded;
  const nodes = new Map<string, CommandNode>();
  for (const { path, node } of walk(fullTree())) {
    const words = path.join(' ');
    if (nodes.has(words)) throw new Error(`there are two commands '${words}'`);
    nodes.set(words, node);
  }
  const environment = (credentials: Credentials) =>
    Object.fromEntries(
      schemes().flatMap(({ name, variable }) => {
        const credential = credentials[name];
        return credential === undefined ? [] : [[variable, textOf(credential)]];
      }),
    );
  return {
    commands: new Map([...nodes].map(([words, { flags = [] }]) => [words, namesOf(flags)])),
    run: (argv, options) => runPetctl(loaded, argv, options),
    words: async (row, input, files) => [
      ...row.command,
      ...(await wordsOf(nodes.get(row.command.join(' ')), row, input, files)),
    ],
    environment,
    dryRun: async (words, credentials, base, server = base) => {
      const env = { XDG_CONFIG_HOME: packageFolder, ...environment(credentials) };
      const all = ['--base-url', base, ...words.slice(0, 2), '--dry-run', '--output', 'json', ...words.slice(2)];
      const { code, stdout, stderr } = await runPetctl(loaded, all, { env });
      if (code !== 0) return { error: stderr };
      const { method, url, headers, body, bodyBase64 } = JSON.parse(Buffer.from(stdout).toString());
      const bytes = bodyBase64 === undefined ? body && Buffer.from(body) : Buffer.from(bodyBase64, 'base64');
      const filled = (text: string, encode: (value: string) => string) =>
        schemes().reduce((left, { name, variable }) => {
          const { [name]: credential = '' } = credentials;
          const value = typeof credential === 'string' ? encode(credential) : base64(textOf(credential));
          return left.replaceAll(new RegExp(`\\$${variable}(?!\\w)`, 'g'), () => value);
        }, text);
      const target = filled(targetOf(server, url), encodeURIComponent);
      const sent = { method, target, headers: mapped(headers, (text) => filled(text, String)) };
      return { sent: bytes === undefined ? sent : { ...sent, body: bytes } };
    },
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function namesOf(flags: NonNullable<CommandNode['flags']>): { fields: string[]; flags: string[] } {
  return { fields: flags.flatMap(({ field }) => field ?? []), flags: flags.map(({ name }) => name) };
}

function textOf(credential: Credentials[string]): string {
  return typeof credential === 'string' ? credential : `${credential.username}:${credential.password}`;
}

function mapped(values: Record<string, string>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name.toLowerCase(), change(text)]));
}

/** The arguments and flags of a call. */
async function wordsOf(
  node: CommandNode | undefined,
  { path, fields, body }: Row,
  input: object,
  folder: string,
): Promise<string[]> {
  const values = new Map<string, unknown>(Object.entries(input));
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const isJsonBody = body?.whole && /^(json|form|multipart)$/.test(body.kind);
  const words: string[] = [];
  for (const [name, value] of values) {
    const flag = node?.flags?.find(({ field }) => field === name);
    if (inPath.includes(name) || value === undefined || !flag) continue;
    const schema = isJsonBody && name === 'body' ? {} : (fields[name]?.schema ?? {});
    const isFiles = Array.isArray(value) && value.some((item) => item instanceof File);
    for (const item of isFiles ? value : [value]) words.push(`--${flag.name}=${await wordOf(item, schema, folder)}`);
  }
  // A body may have more properties than the document names.
  const rest = [...values].filter(([name]) => !Object.hasOwn(fields, name));
  if (rest.length > 0) words.push(`--data=${await wordOf(Object.fromEntries(rest), {}, folder)}`);
  const segments = inPath.map((name) => wordOf(values.get(name), fields[name]?.schema ?? {}, folder));
  return [...words, '--', ...(await Promise.all(segments))];
}

/** A value as an argument of a command line: strings unchanged, unless they could be another type too. */
async function wordOf(value: unknown, schema: Schema, folder: string): Promise<string> {
  const plain = await withPaths(value, folder);
  if (typeof plain === 'string' && (value !== plain || typeIn(schema) !== undefined)) return plain;
  return jsonText(plain);
}

/** The value with `@FILE` instead of each file. */
async function withPaths(value: unknown, folder: string): Promise<unknown> {
  if (value instanceof Uint8Array) return withPaths(new File([Buffer.from(value)], 'blob'), folder);
  if (value instanceof File) {
    const path = join(folder, `file-${crypto.randomUUID()}`);
    writeFileSync(path, await value.bytes());
    return `@${path};type=${value.type || 'application/octet-stream'};filename=${value.name}`;
  }
  if (Array.isArray(value)) return Promise.all(value.map((item) => withPaths(item, folder)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(async ([name, property]) => [name, await withPaths(property, folder)]);
  return Object.fromEntries(await Promise.all(entries));
}
