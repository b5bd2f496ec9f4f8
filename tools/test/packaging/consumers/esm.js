import * as client from '@petstore/client';
import * as types from '@petstore/types';
import { roundTrip } from './round-trip.js';

console.log(JSON.stringify(await roundTrip(client, types, process.argv.slice(2))));
