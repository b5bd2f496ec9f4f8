import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Body } from '../../openapi/body.ts';
import type { RecordedResponse } from '../../openapi/recorder.ts';
import type { Credentials } from '../../openapi/security.ts';
import type { ExpectedRequest, Inputs } from '../../openapi/serialize.ts';

/** A small document with one construct of OpenAPI. */
export interface Construct {
  name: string;
  file: string;
  cases: Case[];
}

/** A call, written by hand from the text of OpenAPI and its RFCs. */
export interface Case {
  /** The operationId, or `GET /pets` where there is none. */
  operation: string;
  inputs: Inputs;
  credentials: Credentials;
  /** Why nothing can be sent. */
  fails?: 'unspecified' | 'missing credential';
  /** What is sent, where something is. */
  request?: ExpectedRequest;
  response?: RecordedResponse;
  /** What the caller sees of the response; `status` marks an error. */
  result?: { json?: unknown; text?: string; bytes?: Uint8Array; none?: true; status?: number };
}

/** A case as its file has it. */
interface CaseText extends Omit<Case, 'request' | 'inputs' | 'credentials'> {
  inputs?: Inputs;
  credentials?: Credentials;
  /** Method, path and query. */
  request?: string;
  server?: string;
  headers?: Record<string, string>;
  contentType?: string;
  body?: Body;
}

const folder = join(import.meta.dirname, 'constructs');
const DEFAULT_SERVER = 'https://api.example.com';

/** Every construct: `NAME.yaml` is the document, `NAME.cases.yaml` has its cases. */
export const constructs: Construct[] = readdirSync(folder)
  .filter((file) => /(?<!\.cases)\.yaml$/.test(file))
  .map((file) => {
    const name = file.replace(/\.yaml$/, '');
    return { name, file: join(folder, file), cases: readCases(join(folder, `${name}.cases.yaml`)) };
  });

function readCases(file: string): Case[] {
  // Integers come as bigints, so that those of 64 bits stay exact.
  const content: unknown = parse(readFileSync(file, 'utf8'), { intAsBigInt: true, customTags: ['binary'] });
  return (withNumbers(content) as CaseText[]).map((text): Case => {
    const { request: line, server = DEFAULT_SERVER, headers = {}, contentType, body, ...rest } = text;
    const call = { ...rest, inputs: text.inputs ?? {}, credentials: text.credentials ?? {} };
    if (line === undefined) return call;
    const [method = '', target = ''] = line.split(' ');
    const type = contentType ?? usualType(body);
    const all = type === undefined ? headers : { ...headers, 'content-type': type };
    return { ...call, request: { method, server, target, headers: all, ...(body && { body }) } };
  });
}

function usualType(body: Body | undefined): string | undefined {
  if (!body) return undefined;
  if ('json' in body) return 'application/json';
  if ('form' in body) return 'application/x-www-form-urlencoded';
  return 'parts' in body ? 'multipart/form-data' : undefined;
}

/** Bigints that a double holds exactly become numbers. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers(item)]));
}
