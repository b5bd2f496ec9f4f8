import { connect, listPets } from '@petstore/client';

export const available = (baseUrl, apiKey) => listPets(connect({ baseUrl, apiKey }), { status: 'available' });
