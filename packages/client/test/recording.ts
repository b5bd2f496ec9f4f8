import { connect, type HttpRequest, type Options, petstore } from '../src/index.ts';

/** A client and a connection that record their requests. Each request gets the same response, by default an empty list. */
export function recording(options: Options = {}, status = 200, body = '[]') {
  const sent: HttpRequest[] = [];
  const transport = async (request: HttpRequest) => {
    sent.push(request);
    return new Response(status === 204 ? null : body, { status, headers: { 'content-type': 'application/json' } });
  };
  const all = { apiKey: 'k', baseUrl: 'http://pets.test/v1', transport, ...options };
  return { sent, connection: connect(all), api: petstore(all) };
}
