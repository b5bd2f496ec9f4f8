const client = require('@petstore/client');
const testing = require('@petstore/client/testing');
const { roundTrip } = require('./round-trip.js');

roundTrip(client, testing, process.argv[2]).then((result) => console.log(JSON.stringify(result)));
