import { createRequire } from 'node:module';
import { type Operation, operations } from '@petstore/types';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { MAX_EXPLAINED_DEPTH, MAX_EXPLAINED_VALUES } from '../../limits.ts';
import type { Checked } from '../input.ts';
import { type AjvKeywords, addRequestKeywords } from './keywords.ts';

/** What is wrong with a request: `path` names the place in it, such as `/query/limit`. */
export interface Violation {
  readonly path: string;
  readonly message: string;
  /** The keyword of JSON Schema, and more behind a dot. */
  readonly errorCode: string;
}

/** The checks that the validator compiled for one operation. */
export interface Check {
  passes(request: Checked): boolean;
  /** What is wrong with a request that did not pass: everything in a small one, the first thing in any other. */
  violations(request: Checked): Violation[];
}

/** The part of the validator that holds compiled checks. */
export interface Ajv extends AjvKeywords {
  getSchema(name: string): Compiled | undefined;
  addSchema(schema: { $id?: string; paths?: object; components?: object }, name: string): unknown;
}

interface Compiled {
  (request: Checked): boolean;
  errors?: object[] | null;
}

interface RequestValidator {
  ajv: Ajv;
  ajvBody: Ajv;
  buildMiddleware(route: string, described: object, contentType: object, name: string): unknown;
}

/** How the validator reads schemas: a tuple may be of any length, and 19.99 is a multiple of 0.01. */
export const RULES = { strictTuples: false, multipleOfPrecision: 9 };

/** Loads a module of the validator that it does not export. */
export const load = (module: string) => createRequire(import.meta.url)(`express-openapi-validator/dist/${module}.js`);
const { RequestValidator } = load('middlewares/openapi.request.validator') as {
  RequestValidator: new (spec: object, options: object) => RequestValidator;
};
const { createRequestAjv } = load('framework/ajv/index') as { createRequestAjv(spec: object, options: object): Ajv };
const { ContentType, augmentAjvErrors, ajvErrorsToValidatorError } = load('middlewares/util') as {
  ContentType: { fromString(type: string | undefined): object };
  augmentAjvErrors(errors: object[]): object[];
  ajvErrorsToValidatorError(status: number, errors: object[]): { errors: Violation[] };
};

/** The checks of every operation, each compiled when it is first needed. */
export function compiledChecks(apiDoc: OpenAPIV3.DocumentV3_1, options: object): (operation: Operation) => Check {
  // Each error costs far more than the bytes that bring it about, and a body has room for many.
  const firstCompiler = once(() => checkCompiler(apiDoc, { ...options, allErrors: false }));
  const allCompiler = once(() => checkCompiler(apiDoc, { ...options, allErrors: true }));
  const checks = new Map<string, Check>();
  for (const operation of Object.values<Operation>(operations)) {
    const first = once(() => firstCompiler().compile(operation));
    const all = once(() => allCompiler().compile(operation));
    checks.set(operation.id, {
      passes: (request) => first().passes(request),
      violations: (request) => {
        const errors = isSmall(request) ? all().errorsIn(request) : [];
        return ajvErrorsToValidatorError(400, augmentAjvErrors(errors.length > 0 ? errors : first().errorsIn(request)))
          .errors;
      },
    });
  }
  return ({ id }) => checks.get(id) as Check;
}

interface OperationCheck {
  passes(request: Checked): boolean;
  errorsIn(request: Checked): object[];
}

/** Opens the part of the validator that compiles the checks of requests. */
export function checkCompiler(apiDoc: OpenAPIV3.DocumentV3_1, options: object) {
  // Nothing is checked against the schemas of JSON Schema itself.
  const ownOptions = { ...options, ...RULES, meta: false };
  const opened = new RequestValidator(apiDoc, ownOptions);
  // Its own would take the text '5' for a number, and a number for text.
  opened.ajv = createRequestAjv(apiDoc, ownOptions);
  const { ajv, ajvBody } = opened;
  for (const one of [ajv, ajvBody]) {
    addRequestKeywords(one);
    shareComponents(one);
  }
  const compile = (operation: Operation): OperationCheck => {
    const name = nameOf(operation);
    const contentType = ContentType.fromString(operation.body?.mediaType);
    opened.buildMiddleware(operation.path, describedIn(apiDoc, operation), contentType, name);
    const parameters = ajv.getSchema(name);
    const body = ajvBody.getSchema(name);
    if (!parameters || !body) throw new Error(`The validator has no checks for ${name}.`);
    const isBodyRight = (request: Checked) => request.body === undefined || body(request);
    return {
      passes: (request) => parameters(request) && isBodyRight(request),
      errorsIn: (request) => [
        ...(parameters(request) ? [] : (parameters.errors ?? [])),
        ...(isBodyRight(request) ? [] : (body.errors ?? [])),
      ],
    };
  };
  return { ajv, ajvBody, compile };
}

/** The name that the checks of an operation are compiled and written by. */
export const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

/** Leaves out of the schema of each operation the whole spec, which would be read and held once for each. */
function shareComponents(ajv: Ajv): void {
  const add = ajv.addSchema.bind(ajv);
  // As the root of all references, so that they find the components, which stand beside it.
  ajv.addSchema = ({ paths, components, ...schema }, name) => add({ ...schema, $id: '#' }, name);
}

/** What the spec says of an operation. */
export function describedIn({ paths }: OpenAPIV3.DocumentV3_1, { path, method }: Operation) {
  const item = paths?.[path];
  return item?.[method.toLowerCase() as 'get'] as OpenAPIV3.OperationObject;
}

/** Whether a request has so few values, and so few in each other, that every error in it can be found. */
function isSmall({ query, params, headers, cookies, body }: Checked): boolean {
  let left = MAX_EXPLAINED_VALUES;
  const takes = (value: unknown, depth: number): boolean => {
    if (--left < 0 || depth > MAX_EXPLAINED_DEPTH) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.values(value).every((one) => takes(one, depth + 1));
  };
  return [query, params, headers, cookies, body].every((part) => takes(part, 0));
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
