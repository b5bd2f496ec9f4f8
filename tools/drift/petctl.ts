// D5: each command of petctl sends the request that the spec means, prints what the server responds, and ends with the exit code of
// its outcome.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Schema } from '@petstore/types';
import { type Help, petctlFile, petctlHelp } from '../help.ts';
import { type Ran, runPetctl } from '../run-petctl.ts';
import { type Case, Cases, type Inputs } from './cases.ts';
import { commandLinesOf } from './command-lines.ts';
import { Coverage } from './coverage.ts';
import { Documents } from './documents.ts';
import { parseJson, printJson } from './exact.ts';
import { apiKey } from './exchange.ts';
import { expectEqual } from './expect.ts';
import type { Collection, Operation, Spec } from './interface.ts';
import { judgeOf } from './judge.ts';
import { asNode, follow, kebab } from './oracle.ts';
import type { Report } from './report.ts';
import { withServer } from './running.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const judge = judgeOf(spec);
  const cases = new Cases(spec, judge);
  const check = new PetctlCheck(spec, report, cases, await petctlHelp());
  for (const operation of spec.operations) {
    check.help(operation);
    await check.requests(operation);
    await check.refusals(operation);
    await check.exitCodes(operation);
  }
  const context = { spec, judge, report: () => {}, coverage: new Coverage() };
  await withServer(context, {}, async (server, origin) => {
    const documents = new Documents(server, cases);
    for (const collection of spec.collections) await check.live(collection, documents, origin);
  });
}

/** The exit codes that scripts rely on. */
const exitCodes: Readonly<Record<number, number>> = { 401: 4, 403: 4, 404: 5, 429: 7 };

function exitCodeFor(status: number): number {
  return exitCodes[status] ?? (status < 500 ? 6 : 8);
}

/** More elements than a page can have. */
const MORE_THAN_A_PAGE = 20;

class PetctlCheck {
  readonly #spec: Spec;
  readonly #report: Report;
  readonly #cases: Cases;
  readonly #help: Help;

  constructor(spec: Spec, report: Report, cases: Cases, help: Help) {
    this.#spec = spec;
    this.#report = report;
    this.#cases = cases;
    this.#help = help;
  }

  /** The help says what the command does, how long its key lives, and what to use instead of a deprecated one. */
  help({ command, summary, idempotencyKey, isDeprecated, sunset, successor }: Operation): void {
    const [group = ''] = command.split(' ');
    const text = inOneLine(`${this.#help.get(command)} ${this.#help.get(group)}`);
    const words = [summary];
    if (idempotencyKey) words.push(`${idempotencyKey.hours} hours`);
    const target = this.#spec.operations.find(({ id }) => id === successor);
    if (isDeprecated) words.push('deprecated', sunset ?? '', target?.command ?? '');
    for (const each of words.filter((word) => !text.includes(word)))
      this.#report(`the help of petctl ${command} lacks '${each}'`);
    if (!isDeprecated && this.#help.get(command)?.includes('deprecated'))
      this.#report(`the help of petctl ${command} says that it is deprecated`);
  }

  /** `--dry-run` shows the request that the spec means by each case, with flags and with `--data`. */
  async requests(operation: Operation): Promise<void> {
    for (const each of this.#cases.valid(operation))
      for (const args of this.#commandLines(operation, each.inputs)) {
        const ran = await this.#run([...args, '--dry-run']);
        const cause = `petctl ${operation.command}`;
        if (ran.code !== 0)
          this.#report(
            `${cause}: a valid call fails`,
            `${args.join(' ').slice(0, 80)}: ${ran.stderr}`,
          );
        else this.#compareRequest(each, asNode(parseJson(ran.stdout)));
      }
  }

  /** A value that the spec forbids is a usage error, and nothing is sent. */
  async refusals(operation: Operation): Promise<void> {
    const [least] = this.#cases.valid(operation);
    for (const { name, in: place, schema } of operation.parameters) {
      // `--limit` is how many results, over pages.
      if (place === 'path' || name === operation.pagination?.limit) continue;
      for (const value of this.#refused(schema)) {
        const parameters = { ...least.inputs.parameters, [name]: value };
        const [args = []] = this.#commandLines(operation, { ...least.inputs, parameters });
        const { code } = await this.#run([...args, '--dry-run']);
        const cause = `petctl ${operation.command} --${kebab(name)}: the exit code for a value that is forbidden`;
        expectEqual(this.#report, cause, code, 2);
      }
    }
  }

  /** Values beyond the bounds of an integer, or beside those of an enumeration. petctl leaves other rules to the service. */
  #refused(schema: Schema): unknown[] {
    const { type, enum: listed } = follow(this.#spec, schema);
    if (type !== 'integer' && !listed) return [];
    const kind = type === 'integer' ? 'number' : 'string';
    const invalid = this.#cases.values.invalid(schema).map(({ value }) => value);
    return invalid.filter((value) => typeof value === kind);
  }

  /** Each declared error ends petctl with its exit code, and is printed with its message. */
  async exitCodes(operation: Operation): Promise<void> {
    const { command, isDeprecated, sunset, responses } = operation;
    const [least] = this.#cases.valid(operation);
    const [args = []] = this.#commandLines(operation, least.inputs);
    for (const [code, status] of this.#spec.errorStatuses) {
      // A path that the service lacks is a wrong address, which petctl explains in its own words.
      if (status === 405 || (status === 404 && !responses.has('404'))) continue;
      const message = `A message for ${code}.`;
      const ran = await withResponse(status, { code, message, status }, (origin) =>
        this.#run([...args, '--retries=0'], origin),
      );
      const cause = `petctl ${command}: the exit code for ${status} ${code}`;
      expectEqual(this.#report, cause, ran.code, exitCodeFor(status));
      if (!ran.stderr.includes(message))
        this.#report(`${cause}: its message is not printed`, ran.stderr);
      if (isDeprecated && !ran.stderr.includes(String(sunset)))
        this.#report(`petctl ${command} does not say that it ends on ${sunset}`);
    }
  }

  /** What petctl prints is what the server has: documents as they were created, and lists of any length. */
  async live(collection: Collection, documents: Documents, origin: string): Promise<void> {
    const { create, list, get, key } = collection;
    if (!create) return;
    const { maximum = 100 } =
      list.parameters.find(({ name }) => name === list.pagination?.limit)?.schema ?? {};
    for (const each of this.#cases.valid(create)) await documents.create(collection, each.inputs);
    const [least] = this.#cases.valid(create);
    while (documents.of(collection).length < maximum + MORE_THAN_A_PAGE)
      await documents.create(collection, least.inputs);
    const all = documents.of(collection);
    const compare = async (args: string[], wanted: unknown) => {
      const ran = await this.#run([...args, '--output=json'], origin);
      const cause = `petctl ${args.join(' ')}: what it prints`;
      if (ran.code !== 0) this.#report(`${cause} is an error`, ran.stderr);
      else expectEqual(this.#report, cause, parseJson(ran.stdout), wanted);
    };
    const words = list.command.split(' ');
    await compare([...words, '--all'], all);
    await compare([...words, `--limit=${maximum + 1}`], all.slice(0, maximum + 1));
    await compare([...words, '--limit=3'], all.slice(0, 3));
    if (get) await compare([...get.command.split(' '), String(all[0]?.[key])], all[0]);
    await this.#compareBuilt([...words, '--limit=3', '--output=json'], origin);
  }

  /** The built petctl does what its source does. */
  async #compareBuilt(args: string[], origin: string): Promise<void> {
    const env = { ...process.env, ...this.#environment(origin) };
    const built = await promisify(execFile)(process.execPath, [petctlFile, ...args], { env });
    const { stdout } = await this.#run(args, origin);
    expectEqual(
      this.#report,
      `petctl ${args.join(' ')}: what the built one prints`,
      built.stdout,
      stdout,
    );
  }

  #environment(origin: string): Record<string, string> {
    return { PETCTL_BASE_URL: origin + this.#spec.basePath, PETCTL_API_KEY: apiKey };
  }

  #run(args: readonly string[], origin = 'http://drift.test'): Promise<Ran> {
    return runPetctl(args, this.#environment(origin));
  }

  #commandLines(operation: Operation, inputs: Inputs): string[][] {
    return commandLinesOf(operation, inputs, this.#help.get(operation.command) ?? '');
  }

  #compareRequest(
    { operation, request: wanted }: Case,
    shown: Readonly<Record<string, unknown>>,
  ): void {
    const cause = (what: string) => `petctl ${operation.command} --dry-run: the ${what}`;
    const { pathname, searchParams } = new URL(String(shown.url));
    const path = decodeURIComponent(this.#spec.basePath + wanted.path);
    expectEqual(this.#report, cause('method'), shown.method, wanted.method);
    expectEqual(this.#report, cause('path'), decodeURIComponent(pathname), path);
    const pairs = (entries: Iterable<readonly string[]>) => [...entries].map(String).sort();
    expectEqual(this.#report, cause('query'), pairs(searchParams), pairs(wanted.query));
    expectEqual(this.#report, cause('body'), shown.body, wanted.body && parseJson(wanted.body));
    const headers = asNode(shown.headers);
    for (const [name, value] of Object.entries(wanted.headers))
      expectEqual(this.#report, cause(`header ${name}`), headers[name], value);
  }
}

function inOneLine(text: string): string {
  return text.split(/\s+/).join(' ');
}

/** Uses a service that has one response. */
async function withResponse<T>(
  status: number,
  body: unknown,
  use: (origin: string) => Promise<T>,
): Promise<T> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(printJson(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    server.close();
  }
}
