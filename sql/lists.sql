-- How a statement that answers a list puts it together: SELECT {{list}} FROM (SELECT … AS document … ORDER BY …).

-- fragment: list
-- each document is JSON text already, so joining the texts parses nothing again; json_group_array(json(document)) would
'[' || ifnull(group_concat(document), '') || ']'
