// @ts-nocheck: a library has written it.
// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

type Evaluate = (exports: object, require: (name: string) => unknown, keywords: object, self?: undefined) => void;

/** Exports a check of the parameters of each operation. */
export const parameterChecks: Evaluate = (exports, require, keywords, self) => {
"use strict";
exports["GET /pets"] = validate1;
const schema1 = {"required":["query","headers","params"],"properties":{"query":{"type":"object","properties":{"limit":{"default":20,"maximum":100,"minimum":1,"type":"integer"},"status":{"description":"Availability of the animal.","enum":["available","pending","sold"],"type":"string"},"after":{"maximum":9007199254740991,"minimum":0,"type":"integer"}}},"headers":{},"params":{},"cookies":{},"body":{}},"$id":"#"};

function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="#" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate1.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.query === undefined) && (missing0 = "query")) || ((data.headers === undefined) && (missing0 = "headers"))) || ((data.params === undefined) && (missing0 = "params"))){
validate1.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.query !== undefined){
let data0 = data.query;
const _errs0 = errors;
if(errors === _errs0){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
if(data0.limit === undefined){
data0.limit = 20;
}
let data1 = data0.limit;
const _errs2 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate1.errors = [{instancePath:instancePath+"/query/limit",schemaPath:"#/properties/query/properties/limit/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs2){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 100 || isNaN(data1)){
validate1.errors = [{instancePath:instancePath+"/query/limit",schemaPath:"#/properties/query/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"}];
return false;
}
else {
if(data1 < 1 || isNaN(data1)){
validate1.errors = [{instancePath:instancePath+"/query/limit",schemaPath:"#/properties/query/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
}
var valid1 = _errs2 === errors;
if(valid1){
if(data0.status !== undefined){
let data2 = data0.status;
const _errs4 = errors;
if(typeof data2 !== "string"){
validate1.errors = [{instancePath:instancePath+"/query/status",schemaPath:"#/properties/query/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
if(!(((data2 === "available") || (data2 === "pending")) || (data2 === "sold"))){
validate1.errors = [{instancePath:instancePath+"/query/status",schemaPath:"#/properties/query/properties/status/enum",keyword:"enum",params:{allowedValues: schema1.properties.query.properties.status.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs4 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.after !== undefined){
let data3 = data0.after;
const _errs6 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate1.errors = [{instancePath:instancePath+"/query/after",schemaPath:"#/properties/query/properties/after/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs6){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 9007199254740991 || isNaN(data3)){
validate1.errors = [{instancePath:instancePath+"/query/after",schemaPath:"#/properties/query/properties/after/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate1.errors = [{instancePath:instancePath+"/query/after",schemaPath:"#/properties/query/properties/after/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
}
}
}
else {
validate1.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
}
}
validate1.errors = vErrors;
return errors === 0;
}
validate1.evaluated = {"props":{"query":true,"headers":true,"params":true,"cookies":true,"body":true},"dynamicProps":false,"dynamicItems":false};

exports["POST /pets"] = validate2;
const schema2 = {"required":["query","headers","params"],"properties":{"query":{},"headers":{"type":"object","properties":{"idempotency-key":{"pattern":"^(?:[!#-~][!-~]{0,254}|\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\")$","type":"string"}}},"params":{},"cookies":{},"body":{}},"$id":"#"};
const pattern0 = new RegExp("^(?:[!#-~][!-~]{0,254}|\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\")$", "u");

function validate2(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="#" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate2.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.query === undefined) && (missing0 = "query")) || ((data.headers === undefined) && (missing0 = "headers"))) || ((data.params === undefined) && (missing0 = "params"))){
validate2.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.headers !== undefined){
let data0 = data.headers;
const _errs0 = errors;
if(errors === _errs0){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
if(data0["idempotency-key"] !== undefined){
let data1 = data0["idempotency-key"];
const _errs2 = errors;
if(errors === _errs2){
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
validate2.errors = [{instancePath:instancePath+"/headers/idempotency-key",schemaPath:"#/properties/headers/properties/idempotency-key/pattern",keyword:"pattern",params:{pattern: "^(?:[!#-~][!-~]{0,254}|\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\")$"},message:"must match pattern \""+"^(?:[!#-~][!-~]{0,254}|\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\")$"+"\""}];
return false;
}
}
else {
validate2.errors = [{instancePath:instancePath+"/headers/idempotency-key",schemaPath:"#/properties/headers/properties/idempotency-key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
else {
validate2.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
}
}
validate2.errors = vErrors;
return errors === 0;
}
validate2.evaluated = {"props":{"query":true,"headers":true,"params":true,"cookies":true,"body":true},"dynamicProps":false,"dynamicItems":false};

exports["GET /pets/{petId}"] = validate4;
const schema4 = {"required":["query","headers","params"],"properties":{"query":{},"headers":{},"params":{"type":"object","properties":{"petId":{"description":"Unique identifier assigned by the service on creation.","maximum":9007199254740991,"minimum":1,"type":"integer"}},"required":["petId"]},"cookies":{},"body":{}},"$id":"#"};

function validate4(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="#" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate4.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.query === undefined) && (missing0 = "query")) || ((data.headers === undefined) && (missing0 = "headers"))) || ((data.params === undefined) && (missing0 = "params"))){
validate4.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.params !== undefined){
let data0 = data.params;
const _errs0 = errors;
if(errors === _errs0){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.petId === undefined) && (missing1 = "petId")){
validate4.errors = [{instancePath:instancePath+"/params",schemaPath:"#/properties/params/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data0.petId !== undefined){
let data1 = data0.petId;
const _errs2 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate4.errors = [{instancePath:instancePath+"/params/petId",schemaPath:"#/properties/params/properties/petId/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs2){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 9007199254740991 || isNaN(data1)){
validate4.errors = [{instancePath:instancePath+"/params/petId",schemaPath:"#/properties/params/properties/petId/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"}];
return false;
}
else {
if(data1 < 1 || isNaN(data1)){
validate4.errors = [{instancePath:instancePath+"/params/petId",schemaPath:"#/properties/params/properties/petId/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
}
}
}
}
else {
validate4.errors = [{instancePath:instancePath+"/params",schemaPath:"#/properties/params/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
}
}
validate4.errors = vErrors;
return errors === 0;
}
validate4.evaluated = {"props":{"query":true,"headers":true,"params":true,"cookies":true,"body":true},"dynamicProps":false,"dynamicItems":false};

};

/** Exports a check of the body of each operation. */
export const bodyChecks: Evaluate = (exports, require, keywords, self) => {
"use strict";
exports["GET /pets"] = validate0;
const schema0 = {"properties":{"query":{},"headers":{},"params":{},"cookies":{},"body":{}},"$id":"#"};

function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="#" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate0.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
validate0.errors = vErrors;
return errors === 0;
}
validate0.evaluated = {"props":{"query":true,"headers":true,"params":true,"cookies":true,"body":true},"dynamicProps":false,"dynamicItems":false};

exports["POST /pets"] = validate1;
const schema1 = {"properties":{"query":{},"headers":{},"params":{},"cookies":{},"body":{"additionalProperties":false,"description":"A pet to add. The service assigns its identifier.","properties":{"categoryId":{"$ref":"#/components/schemas/CategoryId"},"name":{"$ref":"#/components/schemas/PetName"},"status":{"$ref":"#/components/schemas/PetStatus"}},"required":["name","categoryId"],"type":"object"}},"required":["body"],"$id":"#"};
const schema2 = {"description":"Identifier of the category the animal belongs to.","x-int64":[]};
const schema3 = {"description":"The animal's name.","type":"string"};
const schema4 = {"description":"Availability of the animal.","enum":["available","pending","sold"],"type":"string"};
const keyword0 = keywords["x-int64"];

function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="#" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate1.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.body === undefined) && (missing0 = "body")){
validate1.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.body !== undefined){
let data0 = data.body;
const _errs0 = errors;
if(errors === _errs0){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if(((data0.name === undefined) && (missing1 = "name")) || ((data0.categoryId === undefined) && (missing1 = "categoryId"))){
validate1.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
const _errs2 = errors;
for(const key0 in data0){
if(!(((key0 === "categoryId") || (key0 === "name")) || (key0 === "status"))){
validate1.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs2 === errors){
if(data0.categoryId !== undefined){
const _errs3 = errors;
const _errs5 = errors;
let valid3;
keyword0.errors = null;
valid3 = keyword0.call(self, schema2["x-int64"], data0.categoryId, schema2, {instancePath:instancePath+"/body/categoryId",parentData:data0,parentDataProperty:"categoryId",rootData,dynamicAnchors});
if(!valid3){
if(Array.isArray(keyword0.errors)){
vErrors = vErrors === null ? keyword0.errors : vErrors.concat(keyword0.errors);
errors = vErrors.length;
for(let i0=_errs5; i0<errors; i0++){
const err0 = vErrors[i0];
if(err0.instancePath === undefined){
err0.instancePath = instancePath+"/body/categoryId";
}
err0.schemaPath = "#/components/schemas/CategoryId/x-int64";
}
}
else {
validate1.errors = [{instancePath:instancePath+"/body/categoryId",schemaPath:"#/components/schemas/CategoryId/x-int64",keyword:"x-int64",params:{},message:"must be an integer from -9223372036854775808 to 9223372036854775807"}];
return false;
}
}
var valid1 = _errs3 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.name !== undefined){
const _errs6 = errors;
if(typeof data0.name !== "string"){
validate1.errors = [{instancePath:instancePath+"/body/name",schemaPath:"#/components/schemas/PetName/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.status !== undefined){
let data3 = data0.status;
const _errs9 = errors;
if(typeof data3 !== "string"){
validate1.errors = [{instancePath:instancePath+"/body/status",schemaPath:"#/components/schemas/PetStatus/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
if(!(((data3 === "available") || (data3 === "pending")) || (data3 === "sold"))){
validate1.errors = [{instancePath:instancePath+"/body/status",schemaPath:"#/components/schemas/PetStatus/enum",keyword:"enum",params:{allowedValues: schema4.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
else {
validate1.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
}
}
validate1.errors = vErrors;
return errors === 0;
}
validate1.evaluated = {"props":{"query":true,"headers":true,"params":true,"cookies":true,"body":true},"dynamicProps":false,"dynamicItems":false};

exports["GET /pets/{petId}"] = validate2;
const schema5 = {"properties":{"query":{},"headers":{},"params":{},"cookies":{},"body":{}},"$id":"#"};

function validate2(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="#" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate2.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
validate2.errors = vErrors;
return errors === 0;
}
validate2.evaluated = {"props":{"query":true,"headers":true,"params":true,"cookies":true,"body":true},"dynamicProps":false,"dynamicItems":false};

};
