// What of the spec the responses of all servers have shown. What is declared and never comes is a contradiction, too.
import type { Operation, Spec } from './interface.ts';
import { asNode, follow, propertiesOf } from './oracle.ts';
import type { Report } from './report.ts';

/** A response of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; undefined without a JSON body. */
  readonly data: unknown;
}

/** What is declared and not provoked, with the reason: `createPet 409`, or an error code. */
const unprovoked: ReadonlyMap<string, string> = new Map();

export class Coverage {
  readonly #seen = new Set<string>();

  see({ id }: Operation, { status, headers, data }: Answer): void {
    this.#seen.add(`${id} ${status}`);
    for (const header of headers.keys()) this.#seen.add(`${id} ${status} header ${header}`);
    const documents = Array.isArray(data) ? data : [data];
    for (const document of documents)
      for (const name of Object.keys(asNode(document)))
        this.#seen.add(`${id} ${status} property ${name}`);
  }

  seeCode(code: string): void {
    this.#seen.add(code);
  }

  reportUnseen(spec: Spec, report: Report): void {
    const fix = 'correct the server or the spec, or give the reason in tools/drift/coverage.ts';
    const expect = (what: string, key: string) => {
      if (!this.#seen.has(key) && !unprovoked.has(key))
        report(`${what} is in no response`, '', fix);
    };
    for (const code of spec.errorStatuses.keys()) expect(`the error code ${code}`, code);
    for (const operation of spec.operations)
      for (const status of operation.responses.keys())
        if (status !== 'default') this.#expectResponse(spec, operation, status, expect);
  }

  #expectResponse(
    spec: Spec,
    { id, method, path, responses }: Operation,
    status: string,
    expect: (what: string, key: string) => void,
  ): void {
    const name = `${method} ${path} ${status}`;
    const key = `${id} ${status}`;
    expect(`${name}: the status`, key);
    // Without the status, nothing of it can have come.
    const response = responses.get(status);
    if (!response || !this.#seen.has(key)) return;
    for (const header of response.headers.keys())
      expect(`${name}: the header ${header}`, `${key} header ${header}`);
    const schema = follow(spec, response.schema);
    for (const property of Object.keys(propertiesOf(spec, schema.items ?? schema).properties))
      expect(`${name}: the property ${property}`, `${key} property ${property}`);
  }
}
