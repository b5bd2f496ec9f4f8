// Notes what the responses of all servers have. What the spec declares and no response has is a
// finding.
import type { Findings } from './findings.ts';
import {
  asObject,
  type DeclaredResponse,
  follow,
  type Operation,
  propertiesOf,
  type Spec,
} from './spec.ts';

export class Coverage {
  readonly #seen = new Set<string>();

  /** Notes a response with these headers and this JSON. */
  see({ id }: Operation, status: number, headers: Iterable<string>, data: unknown): void {
    this.#seen.add(`${id} ${status}`);
    for (const header of headers) this.#seen.add(`${id} ${status} header ${header}`);
    const documents = Array.isArray(data) ? data : [data];
    for (const document of documents)
      for (const name of Object.keys(asObject(document)))
        this.#seen.add(`${id} ${status} property ${name}`);
  }

  seeCode(code: string): void {
    this.#seen.add(code);
  }

  /** Adds a finding for everything that is declared and was in no response. */
  addUnseen(spec: Spec, findings: Findings): void {
    for (const code of spec.errorStatuses.keys())
      this.#expect(code, `the error code ${code}`, findings);
    for (const operation of spec.operations)
      for (const [status, response] of operation.responses)
        if (status !== 'default') this.#expectResponse(spec, operation, status, response, findings);
  }

  #expectResponse(
    spec: Spec,
    { id, method, path }: Operation,
    status: string,
    response: DeclaredResponse,
    findings: Findings,
  ): void {
    const key = `${id} ${status}`;
    const name = `${method} ${path} ${status}`;
    this.#expect(key, `${name}: the status`, findings);
    // Without the status, its headers and properties are missing anyway.
    if (!this.#seen.has(key)) return;
    for (const part of partsOf(spec, response))
      this.#expect(`${key} ${part}`, `${name}: the ${part}`, findings);
  }

  #expect(key: string, what: string, findings: Findings): void {
    const fix = 'correct the server or the spec, or provoke it in tools/drift/circumstances.ts';
    if (!this.#seen.has(key)) findings.add(`${what} is in no response`, '', fix);
  }
}

/** The headers of a response, and the properties of its documents. */
function partsOf(spec: Spec, { schema, headers }: DeclaredResponse): string[] {
  const { properties } = propertiesOf(spec, follow(spec, schema).items ?? schema);
  return [
    ...[...headers.keys()].map((name) => `header ${name}`),
    ...Object.keys(properties).map((name) => `property ${name}`),
  ];
}
