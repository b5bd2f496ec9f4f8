import { createRequire } from 'node:module';
import { type Operation, operations } from '@petstore/types';
import type { RequestHandler } from 'express';
import type {
  OpenAPIV3,
  OpenApiRequest,
  OpenApiValidatorOpts,
} from 'express-openapi-validator/dist/framework/types.js';
import { MAX_EXPLAINED_DEPTH, MAX_EXPLAINED_VALUES } from '../limits.ts';
import { type AjvKeywords, addKeywords, withInt64Keyword } from './keywords.ts';
import { contextOf, type ParameterValues } from './request-context.ts';

/** What the validator's own checks are given, and change: defaults appear. */
export interface Checked extends ParameterValues {
  body: unknown;
}

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

export interface Validator {
  handlers: RequestHandler[];
  checkOf(operation: Operation): Check | undefined;
}

/** Looks at a request that was read, in the place where the validator would read it itself. */
export type ValidateRequest = (operation: Operation, check: Check, ...request: Request) => void;

/** What Express hands to a handler. */
type Request = Parameters<RequestHandler>;

type Handler = (...request: Request) => unknown;

interface Compiled {
  (request: Checked): boolean;
  errors?: object[] | null;
}

interface Ajv extends AjvKeywords {
  getSchema(name: string): Compiled | undefined;
}

interface Context {
  apiDoc: OpenAPIV3.DocumentV3_1;
  serial: number;
}

interface OpenApiValidator {
  ajvOpts: { request: object; response: object };
  options: { validateResponses: unknown };
  installMiddleware(spec: Promise<object>): RequestHandler[];
  metadataMiddleware(context: Context, responseDocument?: OpenAPIV3.DocumentV3_1): Handler;
  requestValidationMiddleware(spec: OpenAPIV3.DocumentV3_1): Handler;
  responseValidationMiddleware(spec: object, serial: number): Handler;
}

interface SpecVisitor {
  visitApi(found: { basePaths: string[]; getApiDoc(): object }): void;
}

interface SpecLoader {
  framework: { initialize(visitor: SpecVisitor): Promise<object> };
  load(): Promise<object>;
}

interface RequestValidator {
  ajv: Ajv;
  ajvBody: Ajv;
  buildMiddleware(route: string, described: object, contentType: object, name: string): Handler;
}

const load = (module: string) => createRequire(import.meta.url)(`express-openapi-validator/dist/${module}.js`);
const { OpenApiValidator } = load('openapi.validator') as {
  OpenApiValidator: new (options: OpenApiValidatorOpts) => OpenApiValidator;
};
const { OpenApiSpecLoader } = load('framework/openapi.spec.loader') as {
  OpenApiSpecLoader: new (options: object) => SpecLoader;
};
const { RequestValidator } = load('middlewares/openapi.request.validator') as {
  RequestValidator: new (spec: object, options: object) => RequestValidator;
};
const { ResponseValidator } = load('middlewares/openapi.response.validator') as {
  ResponseValidator: new (...options: unknown[]) => { ajvBody: Ajv; validate(): Handler };
};
const { createRequestAjv } = load('framework/ajv/index') as { createRequestAjv(spec: object, options: object): Ajv };
const { ContentType, augmentAjvErrors, ajvErrorsToValidatorError } = load('middlewares/util') as {
  ContentType: { fromString(type: string | undefined): object };
  augmentAjvErrors(errors: object[]): object[];
  ajvErrorsToValidatorError(status: number, errors: object[]): { errors: Violation[] };
};

/**
 * Opens the validator, and changes four things inside it. Its version is therefore pinned.
 *
 * - Loading: it would compile the schema of OpenAPI itself at every start. The spec was checked when the code was generated.
 * - Routing: it would try the patterns of all routes at every request, and knows none with a dash in a name. The operation is known.
 * - Reading: its compiled checks decide on the values that parameters.ts and body-content.ts have read, because its own
 *   reading rounds integers, coerces what is not meant, and knows neither all styles nor forms.
 * - Keywords: JSON Schema has no word for integers of 64 bits that are bigints, and its library compares each pair of
 *   elements that have to be unique. All errors are looked for in small requests only.
 */
export function openValidator(
  spec: OpenAPIV3.DocumentV3_1,
  basePath: string,
  options: Omit<OpenApiValidatorOpts, 'apiSpec'>,
  validateRequest: ValidateRequest,
): Validator {
  const exactSpec = withInt64Keyword(spec);
  const validator = new OpenApiValidator({ ...options, apiSpec: exactSpec });
  const checks = new Map<Operation, Check>();
  validator.metadataMiddleware = describeRequests;
  validator.requestValidationMiddleware = (apiDoc) => {
    compileChecks(apiDoc, validator.ajvOpts.request, checks);
    return (...request) => {
      const { operation } = contextOf(request[1]);
      const check = operation && checks.get(operation);
      if (check) validateRequest(operation, check, ...request);
      else request[2]();
    };
  };
  validator.responseValidationMiddleware = (apiDoc, serial) => {
    const { validateResponses } = validator.options;
    const responses = new ResponseValidator(apiDoc, validator.ajvOpts.response, validateResponses, serial);
    addKeywords(responses.ajvBody);
    return responses.validate();
  };
  return {
    handlers: validator.installMiddleware(loadChecked(exactSpec, basePath)),
    checkOf: (operation) => checks.get(operation),
  };
}

/** Finds the routes of a spec that is known to be valid and to refer to no other file. */
function loadChecked(spec: object, basePath: string): Promise<object> {
  const loader = new OpenApiSpecLoader({ apiDoc: spec });
  loader.framework.initialize = async ({ visitApi }) => {
    const basePaths = [basePath];
    visitApi({ basePaths, getApiDoc: () => spec });
    return { apiDoc: spec, basePaths };
  };
  return loader.load();
}

/** Notes on each request what the spec says of its operation, for the validation of the response. */
function describeRequests({ apiDoc, serial }: Context, responseDocument?: OpenAPIV3.DocumentV3_1): Handler {
  return (request, response, next) => {
    const { operation } = contextOf(response);
    if (operation) {
      const described = {
        expressRoute: operation.path,
        openApiRoute: operation.path,
        pathParams: {},
        schema: describedIn(apiDoc, operation),
        serial,
        ...(responseDocument && { _responseSchema: describedIn(responseDocument, operation) }),
      };
      (request as { openapi?: OpenApiRequest['openapi'] }).openapi = described;
    }
    next();
  };
}

/** Has the validator compile the checks of every operation, which it otherwise does at the first request of each. */
function compileChecks(apiDoc: OpenAPIV3.DocumentV3_1, options: object, checks: Map<Operation, Check>): void {
  // Each error costs far more than the bytes that bring it about, and a body has room for many.
  const compileFirst = checkCompiler(apiDoc, { ...options, allErrors: false });
  const compileAll = once(() => checkCompiler(apiDoc, { ...options, allErrors: true }));
  for (const operation of Object.values<Operation>(operations)) {
    const first = compileFirst(operation);
    const all = once(() => compileAll()(operation));
    checks.set(operation, {
      passes: first.passes,
      violations: (request) => {
        const errors = isSmall(request) ? all().errorsIn(request) : [];
        return ajvErrorsToValidatorError(400, augmentAjvErrors(errors.length > 0 ? errors : first.errorsIn(request)))
          .errors;
      },
    });
  }
}

interface OperationCheck {
  passes(request: Checked): boolean;
  errorsIn(request: Checked): object[];
}

function checkCompiler(apiDoc: OpenAPIV3.DocumentV3_1, options: object): (operation: Operation) => OperationCheck {
  const opened = new RequestValidator(apiDoc, options);
  // Its own would take the text '5' for a number, and a number for text.
  opened.ajv = createRequestAjv(apiDoc, options);
  for (const ajv of [opened.ajv, opened.ajvBody]) addKeywords(ajv);
  return (operation) => {
    const name = `${operation.method} ${operation.path}`;
    const contentType = ContentType.fromString(operation.body?.mediaType);
    opened.buildMiddleware(operation.path, describedIn(apiDoc, operation), contentType, name);
    const parameters = opened.ajv.getSchema(name);
    const body = opened.ajvBody.getSchema(name);
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

function describedIn({ paths }: OpenAPIV3.DocumentV3_1, { path, method }: Operation) {
  const item = paths?.[path];
  return item?.[method.toLowerCase() as 'get'] as OpenAPIV3.OperationObject;
}
