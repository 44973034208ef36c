/** The parameters of each operation, and the element that holds them or its answer, where there is one. */
const OPERATIONS = {
  Push: { parameters: 'token msisdn message amount externaldata1 externaldata2 fee', answer: 'return' },
  PushWithPending: { parameters: 'token msisdn message amount externaldata1 externaldata2 fee', answer: 'result' },
  getTransactionStatus: { parameters: 'token', request: 'transid', answer: 'response' },
  transferFlooz: { parameters: 'token', request: 'destination amount referenceid walletid extendeddata', answer: 'return' },
  getBalance: { parameters: 'token', request: 'msisdn', answer: 'return' },
  getMobileAccountStatus: { parameters: 'token', request: 'msisdn', answer: 'return' },
} as const

const FIELDS_OF_ANSWERS =
  'description referenceid status transid message transactionid senderbalanceafter senderbalancebefore senderbonus senderkeycost balance ' +
  'accounttype allowedtransfer city dateofbirth firstname lastname msisdn region secondname street subscriberstatus'

/** The description of the service. Moov's own is not public: this one holds what its clients send and read. */
export function wsdlOf(address: string): string {
  const all = Object.entries(OPERATIONS)
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions name="UssdPush" targetNamespace="http://api.merchant.tlc.com/" xmlns:tns="http://api.merchant.tlc.com/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<wsdl:types><xs:schema targetNamespace="http://api.merchant.tlc.com/" elementFormDefault="unqualified">
<xs:complexType name="answer"><xs:sequence>${textsOf(FIELDS_OF_ANSWERS)}</xs:sequence></xs:complexType>
${all.map(([name, operation]) => elementsOf(name, operation)).join('\n')}
</xs:schema></wsdl:types>
${all.map(([name]) => messageOf(name) + messageOf(`${name}Response`)).join('\n')}
<wsdl:portType name="UssdPush">${all.map(([name]) => portOf(name)).join('')}</wsdl:portType>
<wsdl:binding name="UssdPushSoapBinding" type="tns:UssdPush"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>${all.map(([name]) => bindingOf(name)).join('')}</wsdl:binding>
<wsdl:service name="UssdPush"><wsdl:port name="UssdPushPort" binding="tns:UssdPushSoapBinding"><soap:address location="${address}"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`
}

type Operation = { parameters: string; request?: string; answer: string }

function elementsOf(name: string, { parameters, request, answer }: Operation): string {
  const nested = request
    ? `<xs:element name="request"><xs:complexType><xs:sequence>${textsOf(request)}</xs:sequence></xs:complexType></xs:element>`
    : ''
  return `<xs:element name="${name}"><xs:complexType><xs:sequence>${textsOf(parameters)}${nested}</xs:sequence></xs:complexType></xs:element>
<xs:element name="${name}Response"><xs:complexType><xs:sequence><xs:element name="${answer}" type="tns:answer"/></xs:sequence></xs:complexType></xs:element>`
}

function textsOf(names: string): string {
  return names
    .split(' ')
    .map((name) => `<xs:element name="${name}" type="xs:string" minOccurs="0"/>`)
    .join('')
}

function messageOf(element: string): string {
  return `<wsdl:message name="${element}"><wsdl:part name="parameters" element="tns:${element}"/></wsdl:message>`
}

function portOf(name: string): string {
  return `<wsdl:operation name="${name}"><wsdl:input message="tns:${name}"/><wsdl:output message="tns:${name}Response"/></wsdl:operation>`
}

function bindingOf(name: string): string {
  const body = '<soap:body use="literal"/>'
  return `<wsdl:operation name="${name}"><soap:operation soapAction="" style="document"/><wsdl:input>${body}</wsdl:input><wsdl:output>${body}</wsdl:output></wsdl:operation>`
}
