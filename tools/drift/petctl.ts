// D5: each command of petctl sends the request that the spec means, prints what the server responds, and ends with the exit code of
// its outcome.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { flagsIn, petctlHelp } from '../help.ts';
import { type Ran, runPetctl } from '../run-petctl.ts';
import type { Case, Cases } from './cases.ts';
import { Contents } from './contents.ts';
import { Coverage } from './coverage.ts';
import { parseJson, printJson } from './exact-json.ts';
import { type Expect, Findings } from './findings.ts';
import { apiKey, compareRequest, type Inputs } from './requests.ts';
import { withServer } from './running-server.ts';
import {
  asNode,
  type Collection,
  follow,
  isNode,
  kebab,
  type Node,
  type Operation,
  pathParameters,
  type Spec,
  successorOf,
} from './spec.ts';

/** A command, and what it is compared with. */
interface Tested {
  readonly spec: Spec;
  readonly cases: Cases;
  readonly operation: Operation;
  /** The help of the command. */
  readonly help: string;
  readonly expect: Expect;
}

export async function check(spec: Spec, findings: Findings, cases: Cases): Promise<void> {
  const helps = await petctlHelp();
  const testedOf = (operation: Operation): Tested => {
    const { command } = operation;
    const expect = findings.expectOf(`petctl ${command}`);
    return { spec, cases, operation, help: helps.get(command) ?? '', expect };
  };
  for (const operation of spec.operations) {
    const tested = testedOf(operation);
    const [group = ''] = operation.command.split(' ');
    checkHelp(tested, helps.get(group) ?? '');
    await checkRequests(tested);
    await checkExitCodes(tested);
  }
  // The check of the server says what is wrong with the server.
  const context = { spec, cases, findings: new Findings('', ''), coverage: new Coverage() };
  await withServer(context, {}, async (server) => {
    const contents = new Contents(server);
    for (const collection of spec.collections)
      await checkOutput(testedOf(collection.list), collection, contents);
  });
}

/** The help says what the command does, how long its key lives, and what to use instead of a deprecated one. */
function checkHelp({ spec, operation, help, expect }: Tested, helpOfGroup: string): void {
  const { summary, idempotencyKey, isDeprecated, sunset } = operation;
  // The help wraps its lines.
  const text = `${help} ${helpOfGroup}`.split(/\s+/).join(' ');
  const words = [summary];
  if (idempotencyKey) words.push(`${idempotencyKey.hours} hours`);
  if (isDeprecated) words.push(sunset ?? '', successorOf(spec, operation)?.command ?? '');
  const missing = words.filter((word) => !text.includes(word));
  expect('what its help does not say', missing, []);
  expect('whether its help says deprecated', help.includes('deprecated'), isDeprecated);
}

/** `--dry-run` shows the request that the spec means by each case, with flags and with `--data`. */
async function checkRequests(tested: Tested): Promise<void> {
  const { spec, cases, operation, expect } = tested;
  for (const each of cases.valid(operation))
    for (const args of commandLinesOf(tested, each.inputs)) {
      const { code, stdout, stderr } = await run(spec, [...args, '--dry-run']);
      expect('the error of a valid call', code === 0 ? '' : stderr, '');
      if (code === 0) compareShown(tested, each, asNode(parseJson(stdout)));
    }
}

/** Compares a request that petctl shows with the one of a case. */
function compareShown({ spec, expect }: Tested, { request: wanted }: Case, shown: Node): void {
  const { method, url, body, headers } = shown;
  compareRequest(spec, wanted, { method, url: String(url), body }, expect);
  for (const [name, value] of Object.entries(wanted.headers))
    expect(`the header ${name} of the request`, asNode(headers)[name], value);
}

/** The exit codes that scripts rely on. */
const exitCodes: Readonly<Record<number, number>> = { 401: 4, 403: 4, 404: 5, 429: 7 };

function exitCodeFor(status: number): number {
  return exitCodes[status] ?? (status < 500 ? 6 : 8);
}

/** Each declared error ends petctl with its exit code, and is printed with its message. */
async function checkExitCodes(tested: Tested): Promise<void> {
  const { spec, cases, operation, expect } = tested;
  const { isDeprecated, sunset, responses } = operation;
  const [args = []] = commandLinesOf(tested, cases.least(operation).inputs);
  for (const [code, status] of spec.errorStatuses) {
    // A path that the service lacks is a wrong address, which petctl explains in its own words.
    if (status === 405 || (status === 404 && !responses.has('404'))) continue;
    const message = `A message for ${code}.`;
    const ran = await withResponse(status, { code, message, status }, (origin) =>
      run(spec, [...args, '--retries=0'], origin),
    );
    expect(`the exit code for ${status} ${code}`, ran.code, exitCodeFor(status));
    expect(`whether it prints the message of ${code}`, ran.stderr.includes(message), true);
    const isTold = ran.stderr.includes(String(sunset));
    expect('whether it says when it ends', isTold, isDeprecated);
  }
}

/** What petctl prints is what the server has: documents as they were created, and lists of any length. */
async function checkOutput(
  { spec, cases, expect }: Tested,
  collection: Collection,
  contents: Contents,
): Promise<void> {
  const { create, list, get, key } = collection;
  if (!create) return;
  const limit = list.parameters.find(({ name }) => name === list.pagination?.limit);
  const { maximum = 100 } = follow(spec, limit?.schema);
  for (const each of cases.valid(create)) await contents.create(collection, each.inputs);
  // Counted beforehand, because a server that creates nothing would never have enough.
  const missing = maximum + 2 - contents.documentsIn(collection).length;
  for (let i = 0; i < missing; i++) await contents.create(collection, cases.least(create).inputs);
  const all = contents.documentsIn(collection);
  const compare = async (args: readonly string[], wanted: unknown) => {
    const { origin } = contents.server;
    const { code, stdout, stderr } = await run(spec, [...args, '--output=json'], origin);
    const found = code === 0 ? parseJson(stdout) : stderr;
    expect(`what ${args.at(-1)} prints`, found, wanted);
  };
  const words = list.command.split(' ');
  await compare([...words, '--all'], all);
  await compare([...words, `--limit=${maximum + 1}`], all.slice(0, maximum + 1));
  await compare([...words, '--limit=3'], all.slice(0, 3));
  const [first] = all;
  if (get && first) await compare([...get.command.split(' '), String(first[key])], first);
}

/** The command lines that inputs mean: with `--data` for a body, and with flags if flags can express it. */
function commandLinesOf(tested: Tested, { parameters, body }: Inputs): string[][] {
  const { command, path } = tested.operation;
  const names = pathParameters(path);
  const line = [...command.split(' '), ...names.map((name) => String(parameters[name]))];
  for (const [name, value] of Object.entries(parameters))
    if (!names.includes(name)) line.push(...flagsFor(tested, name, value));
  if (body === undefined) return [line];
  const withData = [...line, `--data=${printJson(body)}`];
  if (!isNode(body) || Object.values(body).some(isNested)) return [withData];
  const flags = Object.entries(body).flatMap(([name, value]) => flagsFor(tested, name, value));
  return [withData, [...line, ...flags]];
}

function isNested(value: unknown): boolean {
  return typeof value === 'object';
}

/** `--category-id=5`; with the place before the name where petctl itself has a flag of this name. */
function flagsFor({ operation, help }: Tested, name: string, value: unknown): string[] {
  if (value === undefined) return [];
  const place = operation.parameters.find((each) => each.name === name)?.in ?? 'body';
  const prefixed = `--${place}-${kebab(name)}`;
  const flag = flagsIn(help).includes(prefixed) ? prefixed : `--${kebab(name)}`;
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => `${flag}=${each}`);
}

/** Runs petctl. The default address is that of no service. */
function run(spec: Spec, args: readonly string[], origin = 'http://drift.test'): Promise<Ran> {
  const env = { PETCTL_BASE_URL: origin + spec.basePath, PETCTL_API_KEY: apiKey };
  return runPetctl(args, env);
}

/** Uses a service that has one response. */
async function withResponse(
  status: number,
  body: unknown,
  use: (origin: string) => Promise<Ran>,
): Promise<Ran> {
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
