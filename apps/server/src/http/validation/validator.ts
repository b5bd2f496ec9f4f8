import { Socket } from 'node:net';
import { parse } from 'node:url';
import type { Operation } from '@petstore/types';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type {
  OpenAPIV3,
  OpenApiRequest,
  OpenApiValidatorOpts,
} from 'express-openapi-validator/dist/framework/types.js';
import { basePath, servedSpec } from '../../spec.ts';
import { withoutFiles } from '../body-content.ts';
import { invalidRequest } from '../http-error.ts';
import { inputOf } from '../input.ts';
import { IncomingMessage, ServerResponse } from '../node-http.ts';
import { contextOf } from '../request-context.ts';
import { type Ajv, type Check, compiledChecks, describedIn, load, RULES } from './compiled-checks.ts';
import { addKeywords, withInt64Keyword } from './keywords.ts';

/** By whether responses are validated. All apps of a process share them: the spec is the same, and no request is remembered. */
const validators = new Map<boolean, Promise<RequestHandler[]>>();

/** The handlers of the validator, with the spec loaded. Rejects if the spec cannot be used. */
export function validator(validateResponses: boolean): Promise<RequestHandler[]> {
  const known = validators.get(validateResponses) ?? newValidator(validateResponses);
  validators.set(validateResponses, known);
  return known;
}

async function newValidator(validateResponses: boolean): Promise<RequestHandler[]> {
  quietUrlParse();
  const handlers = openValidator(
    servedSpec(),
    basePath,
    {
      validateRequests: true,
      validateResponses,
      validateSecurity: false,
      fileUploader: false,
    },
    validateRequest,
  );
  await warmUp(handlers);
  return handlers;
}

/** Accepts the input of a request whose parameters and body were read, or throws what is wrong with it. */
const validateRequest: ValidateRequest = (operation, check, request, response, next) => {
  const context = contextOf(response);
  const { parameters = NO_PARAMETERS } = context;
  const checked = { ...parameters, body: withoutFiles(request.body, operation.body?.kind) };
  if (!check.passes(checked)) throw invalidRequest(check.violations(checked));
  context.input = inputOf(operation, checked, request.body);
  next();
};

const NO_PARAMETERS = { query: {}, params: {}, headers: {}, cookies: {} };

/**
 * The validator reads every address with `url.parse`, which looks through the call stack each time to see whom to warn
 * of its age, until it has warned somebody: that takes longer than all the rest of the validation.
 */
function quietUrlParse(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  parse('/');
  process.noDeprecation = noDeprecation ?? false;
}

/**
 * Sends a request through the validator alone. It loads the spec only at the first request, keeps an unusable one to itself
 * until then, and takes a while for it.
 */
function warmUp(handlers: RequestHandler[]): Promise<void> {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  request.url = '/';
  return new Promise((resolve, reject) => {
    const app = express();
    const onError: ErrorRequestHandler = (error, _request, _response, _next) =>
      reject(new Error(`spec/openapi.yaml cannot be used: ${error.message}`, { cause: error }));
    app.use(handlers, () => resolve(), onError);
    app(request, new ServerResponse(request));
  });
}

/** Looks at a request that was read, in the place where the validator would read it itself. */
type ValidateRequest = (operation: Operation, check: Check, ...request: Request) => void;

/** What Express hands to a handler. */
type Request = Parameters<RequestHandler>;

type Handler = (...request: Request) => unknown;

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

const { OpenApiValidator } = load('openapi.validator') as {
  OpenApiValidator: new (options: OpenApiValidatorOpts) => OpenApiValidator;
};
const { OpenApiSpecLoader } = load('framework/openapi.spec.loader') as {
  OpenApiSpecLoader: new (options: object) => SpecLoader;
};
const { ResponseValidator } = load('middlewares/openapi.response.validator') as {
  ResponseValidator: new (...options: unknown[]) => { ajvBody: Ajv; validate(): Handler };
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
function openValidator(
  spec: OpenAPIV3.DocumentV3_1,
  basePath: string,
  options: Omit<OpenApiValidatorOpts, 'apiSpec'>,
  validateRequest: ValidateRequest,
): RequestHandler[] {
  const exactSpec = withInt64Keyword(spec);
  const validator = new OpenApiValidator({ ...options, apiSpec: exactSpec });
  validator.metadataMiddleware = describeRequests;
  validator.requestValidationMiddleware = (apiDoc) => {
    const checkOf = compiledChecks(apiDoc, validator.ajvOpts.request);
    return (...request) => {
      const { operation } = contextOf(request[1]);
      if (operation) validateRequest(operation, checkOf(operation), ...request);
      else request[2]();
    };
  };
  validator.responseValidationMiddleware = (apiDoc, serial) => {
    const { validateResponses } = validator.options;
    const options = { ...validator.ajvOpts.response, ...RULES };
    const responses = new ResponseValidator(apiDoc, options, validateResponses, serial);
    addKeywords(responses.ajvBody);
    return responses.validate();
  };
  return validator.installMiddleware(loadChecked(exactSpec, basePath));
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
