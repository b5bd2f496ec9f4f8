import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillFolder } from '../fixtures.ts';
import { inRepository, type Program, type Server, startServer } from '../process.ts';
import { documents } from '../workload.ts';
import { apiKey, type LoadName } from './loads.ts';

/** A server to measure. */
export interface Subject {
  name: string;
  /** A description in one sentence. */
  about: string;
  /** The loads that it supports; all by default. */
  only?: readonly LoadName[];
  start(data: Data): Promise<Server>;
}

/** The documents for the servers. */
export interface Data {
  scratch: string;
  /** The documents as one JSON array. */
  json: string;
  /** The documents as a data folder of the shipped server. Each server that uses it gets a copy. */
  folder: string;
}

/** Writes the documents in every form that a server needs. */
export async function prepareData(scratch: string): Promise<Data> {
  const [json, folder] = [join(scratch, 'documents.json'), join(scratch, 'documents')];
  writeFileSync(json, JSON.stringify(documents()));
  await fillFolder(folder);
  return { scratch, json, folder };
}

/** All subjects, the bare server first. */
export const subjects: readonly Subject[] = [
  {
    name: 'bare',
    about: 'a bare `node:http` server of the same API: no validation, no log, documents in memory only',
    start: ({ json }) => start('bare.ts', [json]),
  },
  {
    name: 'ours',
    about:
      'the shipped server as `npm start` runs it: validation, log, metrics, durable store; a read that repeats between two writes is answered with the bytes of the last one',
    start: (data) => startOurs(copied(data, 'ours'), data.scratch),
  },
  {
    name: 'fastify',
    about: 'Fastify 5 with JSON schemas for requests and answers, no log, documents in memory only',
    start: ({ json }) => start('fastify.ts', [json]),
  },
  {
    name: 'fastify-durable',
    about: 'the same on our durable store',
    only: ['create'],
    start: (data) => start('fastify.ts', [copied(data, 'fastify')]),
  },
  {
    name: 'straightforward',
    about: 'Express 5, express-openapi-validator and lowdb, as their documentation shows them',
    start: ({ json, scratch }) => start('straightforward.js', [json, join(scratch, 'straightforward.json')]),
  },
];

/** Where the log of the shipped server goes, in the scratch folder. */
export const logFile = 'ours.log';

/** The shipped server on this data folder, from this checkout or a copy of it. */
export function startOurs(
  dataDir: string,
  scratch: string,
  main = inRepository('apps/server/src/main.js'),
): Promise<Server> {
  return startServer({
    script: main,
    env: { PORT: '0', PETSTORE_DATA_DIR: dataDir, PETSTORE_API_KEYS: `bench=${apiKey}` },
    stdout: join(scratch, logFile),
  });
}

/** NODE_ENV is `production` because some servers are faster then. */
function start(script: string, args: readonly string[]): Promise<Server> {
  const program: Program = {
    script: inRepository(`tools/bench/http/servers/${script}`),
    args,
    env: { NODE_ENV: 'production', API_KEY: apiKey },
  };
  return startServer(program);
}

/** A copy of the folder with the documents, for one server. */
export function copied({ scratch, folder }: Data, name: string): string {
  const copy = join(scratch, `data-of-${name}`);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** The subjects with these names; throws if one does not exist. */
export function subjectsNamed(names: readonly string[]): Subject[] {
  const unknown = names.find((name) => !subjects.some((subject) => subject.name === name));
  if (unknown !== undefined)
    throw new Error(`Unknown server '${unknown}'. Available: ${subjects.map(({ name }) => name).join(', ')}.`);
  return subjects.filter(({ name }) => names.includes(name));
}
